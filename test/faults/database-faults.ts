import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { apiCall, type ApiAnswer, type ApiRequest } from '../factories/worlds/api-call.js';
import type { DatabaseProxy } from './database-proxy.js';
import { inFullForm, isFullForm } from '../factories/test-form.js';
import { API_POOL, type FaultyService } from './faulty-service.js';
import { parity, parityPredictions } from './parity-task.js';
import { ResumableUpload } from './resumable-upload.js';

interface Subject {
  readonly service: FaultyService;
  /** The proxy between the service and its database. */
  readonly proxy: DatabaseProxy;
}

/** The time limit for every response, in milliseconds, in whatever state the database is. */
const ANSWERED = 20_000;

/** Registers the cases in which the database is unavailable, or fails to confirm a commit. */
export function databaseFaults(subject: () => Subject): void {
  it('answers and continues by itself where PostgreSQL is killed in the middle of runs', async () => {
    const { service } = subject();
    const { world } = service;
    const waiting = await world.announce(parity.slug, { name: 'comes later', kind: 'predictions' });
    const all = await questions(service, waiting);
    for (const name of ['worker', 'evaluator']) service.forgetLog(name);
    const ids = [await service.submitPredictions(), await service.submitPredictions()];
    // a model in a container takes longer to reach this point
    if (isFullForm) ids.push(await service.submitContainer('slow-in-the-end'));
    await (isFullForm
      ? service.untilLogged('evaluator', 'evaluation of a container')
      : service.untilLogged('worker', 'evaluation of a predictions'));

    await service.postgres.kill();
    const wrong = await Promise.all(all.map((question) => wrongWith(question)));
    await service.untilLogged('worker', 'an event could not be handled');
    await service.postgres.start();
    expect(wrong.filter((each) => each !== null)).toEqual([]);

    await service.untilScored(ids);
    expect([world.api, world.worker, world.evaluator].map(({ running }) => running)).toEqual([true, true, true]);
    const token = await world.user('ada');
    await world.expect(202, 'PUT', `/models/${waiting}/artifact`, { token, body: parityPredictions(800) });
    await service.untilScored([waiting]);
    await service.expectInvariants();
  });

  const ways = [
    ['a plain body', 'PUT'],
    ['an upload', 'PATCH'],
  ] as const;
  it.each(isFullForm ? ways : ways.slice(0, 1))(
    'accepts %s once whose sender is not told that it was',
    async (_, method) => {
      const { service, proxy } = subject();
      const id = await service.world.announce(parity.slug, { name: `by ${method}`, kind: 'predictions' });
      const lost = proxy.loseNextCommit(/insert into "run_specification"/);
      const bytes = parityPredictions(method === 'PUT' ? 801 : 802);
      const send = await sender(service, id, method, bytes);

      expect(await send()).toBe(503);
      await lost;
      // repeating the request reveals that it was accepted
      expect(await send()).toBe(200);
      await service.untilScored([id]);
      expect(await service.runs(id)).toHaveLength(1);
      await service.expectInvariants();
    },
  );

  inFullForm('has each result once where the connection is lost right after a result was committed', async () => {
    const { service, proxy } = subject();
    let isLost = false;
    // the event of a score: the text of a prepared statement is sent once per connection
    void proxy.loseNextCommit(/"type":"score"/).then(() => (isLost = true));
    const id = await service.submitPredictions();

    await service.untilScored([id]);
    expect(isLost).toBe(true);
    await service.expectInvariants();
    expect(await service.runs(id)).toMatchObject([{ state: 'done', attempts: 1 }]);
  });

  it('answers those for whom no connection is left, and all others once there are some', async () => {
    const { service } = subject();
    const { world, witness } = service;
    const release = await witness.lock('task');
    const refused: ApiAnswer[] = [];
    const asking = Array.from({ length: 2 * API_POOL }, async () => {
      // requests for the list of models, each with its own query: concurrent reads of the task
      // share one query
      const answer = await within(ANSWERED, world.call('GET', `/tasks/${parity.slug}/models`));
      if (answer.status !== 200) refused.push(answer);
      return answer;
    });
    try {
      await witness.untilWaiting('assay-api', API_POOL);
      // all connections are still taken; requests of evaluators may have some of them
      await world.until(() => Promise.resolve(refused.length >= API_POOL), 2 * ANSWERED);
    } finally {
      await release();
    }

    const answers = await Promise.all(asking);
    for (const answer of refused) expect(unavailable(answer)).toBeNull();
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
    // nothing has to be restarted
    expect((await world.call('GET', `/tasks/${parity.slug}`)).status).toBe(200);
    const id = await service.submitPredictions();
    await service.untilScored([id]);
    await service.expectInvariants();
  });
}

/**
 * A request that is sent while the database is unavailable. `without` is the status of a response
 * that needs no database; without it, the response must be a 503.
 */
interface Question {
  readonly name: string;
  readonly ask: () => Promise<ApiAnswer>;
  readonly without?: number;
}

async function questions({ world }: FaultyService, model: string): Promise<Question[]> {
  const token = await world.user('ada');
  const api = (method: string, path: string, request: ApiRequest = {}): Question => ({
    name: `${method} ${path}`,
    ask: () => world.call(method, path, { token, ...request }),
  });
  const upload = await ResumableUpload.of(world, model);
  return [
    { ...api('GET', '/health/live'), without: 200 },
    { ...api('GET', `/tasks/${parity.slug}/leaderboard`, { token: undefined }), without: 200 },
    { name: 'the metrics', ask: () => apiCall(`${world.url}/metrics`, 'GET'), without: 200 },
    api('GET', '/health/ready'),
    api('GET', `/tasks/${parity.slug}`, { token: undefined }),
    api('GET', '/me'),
    api('GET', `/models/${model}`),
    api('GET', `/models/${model}/events`),
    api('GET', '/search?q=parity', { token: undefined }),
    api('POST', `/tasks/${parity.slug}/models`, { body: { name: 'another', kind: 'predictions' } }),
    api('POST', '/auth/login', {
      token: undefined,
      body: { email: 'ada@example.org', password: 'ada-has-a-password' },
    }),
    api('PUT', `/models/${model}/artifact`, { body: parityPredictions(803) }),
    api('POST', `/models/${model}/cancel`),
    { name: 'an upload', ask: () => upload.create(1000) },
  ];
}

/**
 * @returns Null if the response is correct while the database is unavailable, otherwise what is
 * wrong.
 */
async function wrongWith({ name, ask, without }: Question): Promise<object | null> {
  try {
    const answer = await within(ANSWERED, ask());
    if (answer.status === without) return null;
    const why = unavailable(answer);
    return why && { name, ...why };
  } catch (error) {
    return { name, error: (error as Error).message };
  }
}

/**
 * @returns Null if the response says that the service is unavailable and when to retry, otherwise
 * its status and body.
 */
function unavailable({ status, headers, body }: ApiAnswer): object | null {
  const { code } = (typeof body === 'string' && body.startsWith('{') ? JSON.parse(body) : body) as { code?: string };
  const isSo =
    status === 503 && headers.get('retry-after') === '5' && /^(database_unavailable|not_ready)$/.test(code ?? '');
  return isSo ? null : { status, body };
}

async function within<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  const timer = new AbortController();
  const late = sleep(milliseconds, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`no answer within ${milliseconds / 1000} s`);
  });
  return Promise.race([promise, late]).finally(() => timer.abort());
}

/**
 * Returns a function that sends the same bytes to the model at each call. An upload first asks how
 * much has arrived.
 */
async function sender(
  { world }: FaultyService,
  model: string,
  method: 'PUT' | 'PATCH',
  bytes: Buffer,
): Promise<() => Promise<number>> {
  const token = await world.user('ada');
  if (method === 'PUT') {
    return async () => (await world.call('PUT', `/models/${model}/artifact`, { token, body: bytes })).status;
  }
  const upload = await ResumableUpload.of(world, model);
  expect(await upload.create(bytes.length)).toMatchObject({ status: 201 });
  return async () => {
    const offset = await upload.offset();
    return offset === bytes.length ? 200 : (await upload.send(bytes, offset)).status;
  };
}
