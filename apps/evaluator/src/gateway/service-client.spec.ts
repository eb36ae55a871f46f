import { QueueView } from '@assay/contracts/gateway';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  FakeGateway,
  type GatewayReply,
  hangUp,
  json,
  problem,
  silent,
} from '../../../../test/factories/services/fake-gateway.js';
import { ServiceClient } from './service-client.js';
import { ServiceError } from './service-error.js';

const TOKEN = 'assay_secret-token-of-the-evaluator';
const ROUTE = 'GET /queue';
const REQUEST = { method: 'GET', path: '/queue' } as const;

describe('ServiceClient', () => {
  let gateway: FakeGateway;
  let aborted: AbortController;

  beforeEach(async () => {
    gateway = await FakeGateway.start();
    aborted = new AbortController();
  });

  afterEach(() => gateway.stop());

  const client = (token = TOKEN) => new ServiceClient(`${gateway.url}/`, token);
  const queue = (of = client()) => of.request(REQUEST, QueueView, aborted.signal);

  it('sends the token, and parses the response', async () => {
    gateway.on(ROUTE, json({ evaluationsWait: true, later: 1 }));

    expect(await queue()).toEqual({ evaluationsWait: true });
    expect(gateway.of(ROUTE)[0]!.headers.authorization).toBe(`Bearer ${TOKEN}`);
  });

  it('asks again while the service is overloaded or cannot be reached', async () => {
    const busy: GatewayReply = (response) => response.writeHead(429, { 'retry-after': '0' }).end();
    gateway.on(ROUTE, busy, hangUp, json({ evaluationsWait: false }));

    expect(await queue()).toEqual({ evaluationsWait: false });
    expect(gateway.of(ROUTE)).toHaveLength(3);
  });

  it('waits as long as the service asks for', async () => {
    const busy: GatewayReply = (response) => response.writeHead(503, { 'retry-after': '0.4' }).end();
    gateway.on(ROUTE, busy, json({ evaluationsWait: false }));
    const started = performance.now();

    await queue();

    expect(performance.now() - started).toBeGreaterThan(390);
  });

  it('asks once about what the service refuses', async () => {
    gateway.on(ROUTE, problem(404, 'not_found', 'There is no queue.'));

    await expect(queue()).rejects.toMatchObject({
      status: 404,
      code: 'not_found',
      message: 'The service refused GET /evaluator/queue with 404 (not_found). There is no queue.',
    });
    expect(gateway.of(ROUTE)).toHaveLength(1);
  });

  it('does not follow a redirect, and says where it leads', async () => {
    gateway.on(ROUTE, (response) => response.writeHead(301, { location: 'https://assay.example.org/' }).end());

    await expect(queue()).rejects.toThrow(
      'It redirects to https://assay.example.org/. Set ASSAY_URL to the final address.',
    );
  });

  it('ends an attempt that has no byte for too long', async () => {
    gateway.on(ROUTE, silent);
    const request = { ...REQUEST, silentSeconds: 0.1 };

    await expect(client().requestOnce(request, QueueView, aborted.signal)).rejects.toMatchObject({
      status: null,
      message: expect.stringContaining('no byte within 0.1 s'),
    });
  });

  it('ends a response that stops for too long', async () => {
    gateway.on(ROUTE, (response) => response.write('x'));
    const { chunks } = await client().open({ ...REQUEST, silentSeconds: 0.1 }, aborted.signal);

    const read = async () => {
      for await (const chunk of chunks) expect(chunk.toString()).toBe('x');
    };

    await expect(read()).rejects.toThrow('no byte within 0.1 s');
  });

  it('ends with the reason of its signal', async () => {
    gateway.on(ROUTE, problem(503, 'unavailable'));
    const asked = queue();

    aborted.abort(new Error('The evaluator is being stopped.'));

    await expect(asked).rejects.toThrow('The evaluator is being stopped.');
  });

  it('knows when the service answered', async () => {
    gateway.on(ROUTE, json({ evaluationsWait: false }));
    const answered = client();

    await expect(answered.expectAnswer(60)).rejects.toThrow('The service has not answered for 60 s.');
    await queue(answered);
    await answered.expectAnswer(60);
  });

  it('never shows the token', async () => {
    gateway.on(
      ROUTE,
      problem(401, 'unauthenticated', `the token ${TOKEN} is unknown`),
      (response) => response.writeHead(307, { location: `https://example.org/?${TOKEN}` }).end(),
      json({ evaluationsWait: TOKEN }),
    );
    const errors: unknown[] = [];
    const attempt = (work: Promise<unknown>) => work.catch((error: unknown) => errors.push(error));
    for (let place = 0; place < 3; place++) await attempt(queue());
    await gateway.stop();
    await attempt(client().open(REQUEST, aborted.signal));
    await attempt(client(`${TOKEN}\n\0`).open(REQUEST, aborted.signal));

    expect(errors.map((error) => error instanceof ServiceError && error.code)).toEqual([
      'unauthenticated',
      'no_problem',
      'unexpected_response',
      'unreachable',
      'unreachable',
    ]);
    for (const error of errors) {
      expect(String((error as Error).stack)).not.toContain(TOKEN);
      expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain(TOKEN);
    }
  });
});
