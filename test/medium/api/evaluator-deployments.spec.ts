import {
  type DeploymentAssignment,
  type DeploymentReply,
  LIVE_PATH,
  type LiveQuestion,
} from '@assay/contracts/serving';
import { Evaluator } from '@assay/evaluation/evaluators';
import { type DomainError, newId } from '@assay/kernel';
import { Deployment } from '@assay/serving';
import { Model } from '@assay/submissions';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { LiveCaller } from '../../factories/services/live-caller.js';
import type { ApiAnswer } from '../../factories/worlds/api-call.js';
import type { ApiWorld } from '../../factories/worlds/api-world.js';
import { until } from '../../factories/until.js';
import { GatewayWorld, told } from './gateway-world.js';
import { REPORT } from './route-world.js';

interface Leased {
  readonly leaseSeconds: number;
  readonly askedSeconds: number | null;
  readonly assignment: DeploymentAssignment;
}

const LOST = '409 lease_lost';
const FAILURE = { code: 'model_exited', message: 'The model exited with code 3.' };

describe('the target models of a registered evaluator', () => {
  let gateway: GatewayWorld;
  let world: ApiWorld;
  let owner: string;
  let builder: string;
  let gpu: string;
  let bytes: Buffer;
  const sockets: WebSocket[] = [];

  beforeAll(async () => {
    gateway = await GatewayWorld.start();
    ({ world, owner, builder } = gateway);
    await gateway.task('tone', { count: 300, definition: { collection: {} } });
    gpu = await evaluator('gpu');
  }, 60_000);
  afterEach(async () => {
    for (const socket of sockets.splice(0)) {
      socket.terminate();
      if (socket.readyState !== WebSocket.CLOSED) await once(socket, 'close');
    }
    await world.orm.em.fork().nativeDelete(Deployment, {});
  });
  afterAll(() => gateway.close());

  const evaluator = (name: string, by?: string, host: object = REPORT.host): Promise<string> =>
    gateway.evaluator(name, by, { host });

  /** Deploys a new model. Returns the deployment's ID and the model's. */
  async function deployed(by = builder, more: object = {}): Promise<{ id: string; model: string }> {
    const submitted = await gateway.submit('tone', by);
    bytes = submitted.bytes;
    return { id: await gateway.deploy(submitted.id, more), model: submitted.id };
  }

  const stored = (id: string): Promise<Deployment> => world.orm.em.fork().findOneOrFail(Deployment, id);

  async function offered(token = gpu, waitSeconds = 0): Promise<ApiAnswer> {
    await reported(0);
    return ask(token, waitSeconds);
  }
  const ask = (token: string, waitSeconds: number): Promise<ApiAnswer> =>
    world.call('POST', '/evaluator/deployments/leases', { token, body: { protocol: 2, waitSeconds } });

  /** Lets the last reports of all evaluators be some seconds old. */
  const reported = (seconds: number): Promise<unknown> =>
    world.orm.em.fork().execute('update evaluator set last_seen_at = now() - make_interval(secs => ?)', [seconds]);

  async function leased(token = gpu): Promise<Leased> {
    return (await offered(token)).body.deployment as Leased;
  }

  const about = (
    method: string,
    path: string,
    { assignment: { deployment, fence } }: Leased,
    request: Parameters<ApiWorld['call']>[2] = {},
  ): Promise<ApiAnswer> =>
    world.call(method, `/evaluator/deployments/${deployment}/${path}?fence=${fence}`, { token: gpu, ...request });
  const report = (held: Leased, body: object, token = gpu): Promise<ApiAnswer> =>
    about('PUT', 'state', held, { body, token });
  const end = (held: Leased, body: object): Promise<ApiAnswer> => about('POST', 'outcome', held, { body });

  /**
   * Connects an evaluator. It answers every question with `answer`, a text or a reply, and null for other
   * deployments than `serves`.
   */
  async function connected(
    serves: string,
    answer: string | DeploymentReply = 'positive',
    token = gpu,
    query = '?protocol=2',
  ): Promise<WebSocket> {
    const socket = new WebSocket(`${world.url.replace('http', 'ws')}/api/v1${LIVE_PATH}${query}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    sockets.push(socket);
    socket.on('message', (data: Buffer) => {
      const { id, deployment, instances } = JSON.parse(data.toString()) as LiveQuestion;
      const answers = (text: string) => ({
        kind: 'answers',
        answers: instances.map(() => ({ text })),
        milliseconds: 2,
      });
      const reply = typeof answer === 'string' ? answers(answer) : answer;
      socket.send(JSON.stringify({ id, reply: deployment === serves ? reply : null }));
    });
    await once(socket, 'open');
    await until(async () => (await connections()) > 0);
    return socket;
  }

  const connections = (): Promise<number> => world.orm.em.fork().count(Evaluator, { liveAddress: { $ne: null } });

  async function refusal(token: string, query = '?protocol=2'): Promise<string> {
    const socket = new WebSocket(`${world.url.replace('http', 'ws')}/api/v1${LIVE_PATH}${query}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const [, response] = await once(socket, 'unexpected-response');
    const body = (await Array.fromAsync(response as AsyncIterable<Buffer>)).join('');
    socket.on('error', () => undefined).terminate();
    return `${response.statusCode} ${JSON.parse(body).code}`;
  }

  it('are offered with everything to start them, and nothing that is not needed', async () => {
    const { id } = await deployed();

    const held = await leased();

    expect(held).toMatchObject({ leaseSeconds: 60, askedSeconds: null });
    const { assignment } = held;
    expect(assignment).toMatchObject({
      ...{ deployment: id, fence: 1, output: { type: 'label' } },
      artifact: { kind: 'container', size: bytes.length, image: { port: 8080 } },
      specification: { environment: {}, runtime: expect.any(String), limits: expect.any(Object) },
    });
    expect(await stored(id)).toMatchObject({ state: 'starting', evaluator: 'remote/gpu', progress: { step: 'image' } });
    expect((await offered()).body).toEqual({ deployment: null });
    expect((await about('GET', 'artifact', held)).body).toBe(bytes.toString());
  });

  it('wait for one that can run them', async () => {
    const small = await evaluator('small', world.admin, { ...REPORT.host, memoryBytes: 1 });
    const own = await evaluator('own', owner);
    const { id } = await deployed();
    for (const token of [small, own]) expect((await offered(token)).body).toEqual({ deployment: null });

    // the owner's own model, on the owner's own task
    const mine = await deployed(owner);
    expect((await leased(own)).assignment.deployment).toBe(mine.id);

    const waiting = offered(gpu, 30);
    expect((await waiting).body.deployment.assignment.deployment).toBe(id);
  });

  it('are offered to a request that waits as soon as they are wanted', async () => {
    const waiting = offered(gpu, 30);
    const { id } = await deployed();
    await world.orm.em.fork().execute(`select pg_notify('assay_placement', ?)`, [id]);
    expect((await waiting).body.deployment.assignment.deployment).toBe(id);
  });

  it('are not offered to an evaluator that waits and has not reported for half a lease', async () => {
    await deployed();
    await reported(31);
    expect((await ask(gpu, 1)).body).toEqual({ deployment: null });
    expect((await offered()).body).not.toEqual({ deployment: null });
  });

  it('are warmed up with readable examples, and with none that are hidden', async () => {
    await deployed();
    const held = await leased();

    const lines = ((await about('GET', 'warm-up', held)).body as string).trim().split('\n');

    expect(lines).toHaveLength(129);
    expect(new Set(lines).size).toBe(129);
    for (const line of lines) expect(Object.keys(JSON.parse(line))).toEqual(['text']);
    expect(lines.filter((line) => line.includes('hidden'))).toEqual([]);
    expect((await about('GET', 'warm-up', held)).body.trim().split('\n')).toEqual(lines);
  });

  it('tell how far they are, and a report extends the lease', async () => {
    const { id } = await deployed();
    const held = await leased();
    const at = async (seconds: number): Promise<void> => {
      await world.orm.em.execute(`update placement set lease_until = now() + make_interval(secs => ?) where id = ?`, [
        seconds,
        id,
      ]);
    };

    await at(2);
    expect((await report(held, { state: 'starting', step: 'start' })).status).toBe(204);
    const starting = await stored(id);
    expect(starting).toMatchObject({ state: 'starting', progress: { step: 'start' } });
    expect(starting.leaseUntil!.getTime()).toBeGreaterThan(Date.now() + 30_000);
    await report(held, { state: 'starting', step: 'start' });
    expect((await stored(id)).progress).toEqual(starting.progress);

    expect((await report(held, { state: 'ready' })).status).toBe(204);
    const ready = await stored(id);
    expect(ready).toMatchObject({ state: 'ready', paused: false, progress: null, readyAt: expect.any(Date) });
    await report(held, { state: 'ready', isPaused: true });
    expect(await stored(id)).toMatchObject({ state: 'ready', paused: true, readyAt: ready.readyAt });
  });

  it.each([
    ['released', { kind: 'released' }, { state: 'wanted', evaluator: null, attempts: 0 }, 0],
    ['held back', { kind: 'held_back' }, { state: 'wanted', evaluator: null, attempts: 0 }, 2],
    [
      'postponed',
      { kind: 'platform_failed', message: 'The disk is full.' },
      { state: 'wanted', attempts: 0, progress: { message: expect.stringContaining('The disk is full.') } },
      5,
    ],
    ['started again', { kind: 'ended', failure: FAILURE, servedSeconds: 1 }, { state: 'wanted', attempts: 1 }, 0],
    ['given up', { kind: 'failed', failure: FAILURE }, { state: 'failed', failure: FAILURE, evaluator: null }, 0],
  ])('are %s as their evaluator says, which ends the lease', async (_, outcome, expected, seconds) => {
    const { id } = await deployed();
    const held = await leased();
    await report(held, { state: 'ready' });

    const before = Date.now();

    expect((await end(held, outcome)).status).toBe(204);

    const after = await stored(id);
    expect(after).toMatchObject(expected);
    expect(after.dueAt.getTime()).toBeLessThanOrEqual(Date.now() + seconds * 1000 + 1000);
    if (seconds > 0) expect(after.dueAt.getTime()).toBeGreaterThan(before + seconds * 1000 - 1000);
    expect(told(await report(held, { state: 'ready' }))).toBe(LOST);
  });

  it('are given up after four failures, but not when they had answered for long', async () => {
    const { id } = await deployed(builder, { attempts: 3 });
    await end(await leased(), { kind: 'ended', failure: FAILURE, servedSeconds: 601 });
    expect(await stored(id)).toMatchObject({ state: 'wanted', attempts: 1 });

    await world.orm.em.fork().nativeUpdate(Deployment, id, { attempts: 3 });
    await end(await leased(), { kind: 'ended', failure: FAILURE, servedSeconds: 1 });
    expect(await stored(id)).toMatchObject({ state: 'failed' });
  });

  it('belong to their evaluator and fence alone', async () => {
    const other = await evaluator('other');
    const { id } = await deployed();
    const held = await leased();
    const stale = { ...held, assignment: { ...held.assignment, fence: 9 } };
    for (const [method, path, body] of [
      ['PUT', 'state', { state: 'ready', isPaused: false }],
      ['GET', 'artifact', null],
      ['GET', 'warm-up', null],
      ['POST', 'outcome', { kind: 'released' }],
    ] as const) {
      expect(told(await about(method, path, held, { token: other, ...(body && { body }) }))).toBe(LOST);
      expect(told(await about(method, path, stale, { ...(body && { body }) }))).toBe(LOST);
    }
    expect(await stored(id)).toMatchObject({ state: 'starting', fence: 1 });

    // an evaluator that starts again gives them back
    expect((await world.call('DELETE', '/evaluator/leases', { token: gpu })).status).toBe(200);
    expect((await leased(other)).assignment).toMatchObject({ deployment: id, fence: 2 });
    expect(told(await report(held, { state: 'ready' }))).toBe(LOST);
  });

  it('start on another evaluator at once when theirs is removed', async () => {
    const removed = await evaluator('removed');
    const { id } = await deployed();
    expect((await leased(removed)).assignment).toMatchObject({ deployment: id, fence: 1 });
    const registration = (await world.call('GET', '/evaluator', { token: removed })).body;

    await world.call('DELETE', `/evaluators/${registration.id}`, { token: world.admin });

    expect((await leased()).assignment).toMatchObject({ deployment: id, fence: 2 });
  });

  describe('and the questions of people', () => {
    let caller: LiveCaller;
    beforeAll(() => {
      caller = new LiveCaller(world.orm.em.fork(), world.databaseUrl);
    });
    afterAll(() => caller.close());

    /** A target model that is ready on `gpu`, which is not connected yet. */
    async function ready(): Promise<{ id: string; model: string; held: Leased }> {
      const made = await deployed();
      await gateway.openRound(made.model);
      const held = await leased();
      await report(held, { state: 'ready' });
      return { ...made, held };
    }

    const question = (model: string): Promise<ApiAnswer> =>
      world.call('POST', `/models/${model}/predict`, { token: builder, body: { input: { text: 'a good day' } } });

    /** Asks as another API process does. Returns the answer, or the code of the refusal. */
    async function askElsewhere(model: string): Promise<string> {
      const em = world.orm.em.fork();
      const entity = await em.findOneOrFail(Model, model, { populate: ['task'] });
      return caller.predictions.predict(entity.task, entity, [{ text: 'a good day' }]).then(
        ([answer]) => answer!.answer,
        (error: unknown) => (error as DomainError).code,
      );
    }
    const untilAnswered = (model: string, answer: string): Promise<void> =>
      until(async () => (await askElsewhere(model)) === answer);

    it('reach them on a WebSocket, from this process and from another', async () => {
      const { id, model } = await ready();
      expect(told(await question(model))).toBe('503 model_starting');

      await connected(id);

      await untilAnswered(model, 'positive');
      expect((await question(model)).body).toMatchObject({ answer: 'positive', milliseconds: 2 });
      expect((await fetch(new URL('/', (await connection()).liveAddress!))).status).toBe(401);
    });

    it('say what an earlier evaluator says that pauses them for a measurement', async () => {
      const { id, model } = await ready();
      const message = 'A measurement is under way.';
      await connected(id, {
        kind: 'busy',
        progress: { step: 'measurement', since: new Date().toISOString(), message },
      });

      await until(async () => (await question(model)).body.detail.startsWith(message));
      expect(told(await question(model))).toBe('503 model_starting');
    });

    it('wait while the evaluator is not connected, and reach it again afterwards', async () => {
      const { id, model } = await ready();
      const first = await connected(id);
      await untilAnswered(model, 'positive');

      first.terminate();
      await untilAnswered(model, 'model_starting');
      expect(await connections()).toBe(0);
      expect(told(await question(model))).toBe('503 model_starting');

      const second = await connected(id, 'negative');
      await untilAnswered(model, 'negative');
      // another connection of the same evaluator replaces it
      const closed = once(second, 'close');
      await connected(id, 'positive');
      await closed;
      await untilAnswered(model, 'positive');
      expect(await connections()).toBe(1);
    });

    it('are not answered by an evaluator that serves no such model, or answers anything else', async () => {
      const { model } = await ready();
      const socket = await connected(newId());
      expect(told(await question(model))).toBe('503 model_starting');

      socket.removeAllListeners('message');
      socket.on('message', () => socket.send('{"id":1,"reply":{"kind":"praise"}}'));
      const closed = once(socket, 'close');
      expect(told(await question(model))).toBe('503 model_starting');
      expect((await closed)[0]).toBe(1008);
    });

    it('are asked of no one without the token of an evaluator, or with another protocol', async () => {
      expect(await refusal('guess')).toBe('401 invalid_token');
      expect(await refusal(world.admin)).toBe('401 invalid_token');
      expect(await refusal(gpu, '')).toBe('409 protocol_unsupported');
      expect(await refusal(gpu, '?protocol=9')).toBe('409 protocol_unsupported');
      expect(await connections()).toBe(0);
    });

    const connection = (): Promise<Evaluator> =>
      world.orm.em.fork().findOneOrFail(Evaluator, { liveAddress: { $ne: null } });
  });
});
