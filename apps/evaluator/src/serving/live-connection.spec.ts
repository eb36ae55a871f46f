import { failure } from '@assay/contracts/models';
import type { DeploymentReply } from '@assay/contracts/serving';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { FakeGateway } from '../../../../test/factories/services/fake-gateway.js';
import { DEPLOYMENT } from '../../../../test/factories/services/lease-views.js';
import { until } from '../../../../test/factories/until.js';
import { ServiceClient } from '../gateway/service-client.js';
import { LiveConnection } from './live-connection.js';

const TOKEN = 'assay_secret-token-of-the-evaluator';
const ROUTE = 'GET /live';

const answered = (text: string): DeploymentReply => ({ kind: 'answers', answers: [{ text }], milliseconds: 1 });

describe('LiveConnection', () => {
  let gateway: FakeGateway;
  let connection: LiveConnection;
  const warn = jest.spyOn(Logger.prototype, 'warn');

  beforeEach(async () => {
    warn.mockReset().mockReturnValue();
    gateway = await FakeGateway.start();
    connection = connect();
  });

  afterEach(async () => {
    await connection.close();
    await gateway.stop();
    expect(JSON.stringify(warn.mock.calls)).not.toContain(TOKEN);
  });

  const connect = (silentSeconds?: number) =>
    new LiveConnection(new ServiceClient(`${gateway.url}/`, TOKEN), silentSeconds);
  const whenConnected = (times = 1) => until(() => gateway.sockets.length === times);
  const send = (message: unknown) => gateway.sockets.at(-1)!.send(JSON.stringify(message));
  const ask = (id: number, more: object = {}) =>
    send({ id, deployment: DEPLOYMENT, ask: 'predict', instances: [{ text: 'good' }], ...more });
  const whenReceived = (...messages: readonly unknown[]) =>
    until(() => gateway.received.length === messages.length).then(() => expect(gateway.received).toEqual(messages));

  it('shows its token, and names its protocol', async () => {
    connection.start();
    await whenConnected();

    expect(gateway.of(ROUTE)).toMatchObject([{ headers: { authorization: `Bearer ${TOKEN}` } }]);
    expect(gateway.of(ROUTE)[0]!.query.toString()).toBe('protocol=2');
  });

  it('answers many questions at once, each when its model does', async () => {
    const replies: ((reply: DeploymentReply) => void)[] = [];
    const asked: unknown[] = [];
    connection.add(DEPLOYMENT, (...question) => {
      asked.push(question);
      return new Promise((resolve) => replies.push(resolve));
    });
    connection.start();
    await whenConnected();

    ask(1);
    ask(2, { ask: 'explain', instances: [{ text: 'bad' }, { text: 'rain' }] });
    await until(() => asked.length === 2);
    replies[1]!({ kind: 'unexplained' });
    await until(() => gateway.received.length === 1);
    replies[0]!(answered('positive'));

    await whenReceived({ id: 2, reply: { kind: 'unexplained' } }, { id: 1, reply: answered('positive') });
    expect(asked).toEqual([
      ['predict', ['{"text":"good"}']],
      ['explain', ['{"text":"bad"}', '{"text":"rain"}']],
    ]);
  });

  it('has no reply for a model that is not served here, not any more, or cannot be asked', async () => {
    connection.start();
    await whenConnected();
    ask(1);
    await until(() => gateway.received.length === 1);
    connection.add(DEPLOYMENT, () => Promise.reject(new Error('no engine')));
    ask(2);
    await until(() => gateway.received.length === 2);
    connection.remove(DEPLOYMENT);
    ask(3);

    await whenReceived({ id: 1, reply: null }, { id: 2, reply: null }, { id: 3, reply: null });
    expect(warn.mock.calls).toEqual([['a target model could not be asked: no engine']]);
  });

  it('reports a failure of the model', async () => {
    const reply: DeploymentReply = { kind: 'failed', failure: failure('invalid_json', 'It is not JSON.') };
    connection.add(DEPLOYMENT, () => Promise.resolve(reply));
    connection.start();
    await whenConnected();
    ask(1);

    await whenReceived({ id: 1, reply });
  });

  it('sends no reply that the service would not read', async () => {
    connection.add(DEPLOYMENT, () => Promise.resolve(answered('é'.repeat(8 * 2 ** 20))));
    connection.start();
    await whenConnected();
    ask(1);

    await whenReceived({ id: 1, reply: null });
  });

  it('ignores what is no question', async () => {
    connection.start();
    await whenConnected();
    const [socket] = gateway.sockets;

    socket!.send('{');
    socket!.send(Buffer.from([0xff, 0]));
    send(null);
    ask(1, { ask: 'train' });
    ask(2);

    await whenReceived({ id: 2, reply: null });
    expect(warn).toHaveBeenCalledTimes(1);
  });

  it('connects again when the service ends the connection', async () => {
    connection.add(DEPLOYMENT, () => Promise.resolve(answered('positive')));
    connection.start();
    await whenConnected();

    gateway.sockets[0]!.terminate();
    await whenConnected(2);
    gateway.sockets[1]!.close(1001);
    await whenConnected(3);
    ask(1);

    await whenReceived({ id: 1, reply: answered('positive') });
  });

  it('connects again without a ping of the service', async () => {
    connection = connect(0.2);
    connection.start();
    await whenConnected(2);

    expect(gateway.sockets[0]!.readyState).toBe(gateway.sockets[0]!.CLOSED);
  });

  it('stays connected while the service pings', async () => {
    connection = connect(0.5);
    connection.start();
    await whenConnected();
    let pongs = 0;
    const [socket] = gateway.sockets;
    socket!.on('pong', () => {
      pongs++;
      setTimeout(() => socket!.ping(), 100);
    });
    socket!.ping();

    await until(() => pongs === 8);

    expect(gateway.sockets).toHaveLength(1);
  });

  it('says once why the service refuses it, and tries again', async () => {
    gateway.refusals.push(401, 401, 409);
    connection.start();
    await whenConnected();

    expect(warn.mock.calls).toEqual([
      ['the connection for questions to target models ended: Unexpected server response: 401'],
      ['the connection for questions to target models ended: Unexpected server response: 409'],
    ]);
  });

  it('ends when it is closed, even while it connects', async () => {
    connection.start();
    await connection.close();
    await until(() => gateway.sockets.every(({ readyState, CLOSED }) => readyState === CLOSED));

    expect(gateway.of(ROUTE).length).toBeLessThanOrEqual(1);
    expect(warn).not.toHaveBeenCalled();
  });
});
