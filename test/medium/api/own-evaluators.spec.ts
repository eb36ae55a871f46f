import { join } from 'node:path';
import type { LeaderboardView } from '@assay/contracts/boards';
import type { EvaluatorView } from '@assay/contracts/evaluators';
import type { LeasedRunView } from '@assay/contracts/gateway';
import type { ModelView } from '@assay/contracts/models';
import { Model } from '@assay/submissions';
import { EvaluatorRepository } from '@assay/evaluation/evaluators';
import { BoardRevisionRepository } from '@assay/leaderboard/boards';
import { SignedResult } from '@assay/leaderboard/results';
import { decodeMatrix } from '@assay/scoring/board';
import { LocalBlobStore } from '@assay/storage';
import { Task } from '@assay/tasks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { publishBoard } from '../../factories/models/published-board.js';
import { scoreWaiting } from '../../factories/worlds/answer-scoring.js';
import type { ApiAnswer } from '../../factories/worlds/api-call.js';
import type { ApiWorld } from '../../factories/worlds/api-world.js';
import { signingWorker } from '../../factories/worlds/signing-worker.js';
import { GatewayWorld } from './gateway-world.js';
import { REPORT } from './route-world.js';

const N = 12;
const COSTS = {
  throughput: 1,
  ...{ latency_p50: 1, latency_p90: 1, latency_p95: 1, latency_p99: 1, latency_count: 1 },
  ...{ memory: 1, memory_cgroup: 1, cold_start: 1, contended: false, hardware: 'A CPU' },
};
const IMAGE = {
  kind: 'admitted',
  ...{ port: 8080, protocol: null, unpackedBytes: 5000, unreadable: [], contentDigest: 'c'.repeat(64) },
};
const FINISHED = { kind: 'finished', measures: COSTS };
const LAB = { name: 'lab', owner: 'owner' };

/** An evaluator that holds a run. */
interface Held {
  readonly token: string;
  readonly run: LeasedRunView;
}

let gateway: GatewayWorld;
let world: ApiWorld;
/** The token of an evaluator of the owner of the tasks, and that of an evaluator of the service. */
let lab: string;
let gpu: string;

async function start(): Promise<void> {
  gateway = await GatewayWorld.start();
  ({ world } = gateway);
  await gateway.task('tone', { count: N, definition: { weights: { accuracy: 1 }, aggregate: { minimumExamples: 1 } } });
  lab = await gateway.evaluator('lab', gateway.owner);
  gpu = await gateway.evaluator('gpu');
}

async function lease(token: string, stage: 'admission' | 'evaluation'): Promise<Held> {
  // an evaluator that has not reported lately gets nothing
  await world.call('PUT', '/evaluator/presence', { token, body: REPORT });
  const body = { protocol: 2, stage, waitSeconds: 0 };
  const { run } = (await world.call('POST', '/evaluator/leases', { token, body })).body;
  expect(run).not.toBeNull();
  return { token, run: run as LeasedRunView };
}

async function about({ token, run }: Held, method: string, path: string, request: object = {}): Promise<ApiAnswer> {
  const { assignment } = run;
  const fence = `${path.includes('?') ? '&' : '?'}fence=${assignment.fence}`;
  const answer = await world.call(method, `/evaluator/runs/${assignment.run}/${path}${fence}`, { token, ...request });
  expect(answer.status).toBeLessThan(300);
  return answer;
}
const end = (held: Held, body: object): Promise<ApiAnswer> => about(held, 'POST', 'outcome', { body });

/** Gives the answers to some of the datasets of a run. */
async function answer(held: Held, datasets = held.run.assignment.datasets): Promise<void> {
  for (const { id } of datasets) {
    await about(held, 'POST', `datasets/${id}/start`);
    const file = { type: 'application/x-ndjson', body: '"positive"\n'.repeat(N) };
    const { size } = (await about(held, 'PUT', `datasets/${id}/answers?offset=0`, file)).body;
    const facts = { size, measures: null, seen: [], timed: [] };
    await about(held, 'POST', `datasets/${id}/answers`, { body: facts });
  }
}

/** Submits a model that an evaluator admits. Returns its ID. */
async function admitted(token: string, by: string, more: object = {}): Promise<string> {
  const { id } = await gateway.submit('tone', by, more);
  await end(await lease(token, 'admission'), IMAGE);
  return id;
}

/** Scores what waits for it, and publishes the board. */
async function settle(): Promise<void> {
  await scoreWaiting(world.orm.em.fork(), new LocalBlobStore(join(world.home, 'blobs')));
  await publishBoard(world, 'tone');
}

/** Submits a model that one evaluator admits, evaluates and measures. Returns its ID. */
async function evaluated(token: string, by = gateway.owner): Promise<string> {
  const id = await admitted(token, by);
  const held = await lease(token, 'evaluation');
  await answer(held);
  await end(held, FINISHED);
  await settle();
  return id;
}

const view = async (id: string): Promise<ModelView> =>
  (await world.call('GET', `/models/${id}`, { token: gateway.owner })).body as ModelView;
const ofCells = async (id: string) => (await view(id)).evaluations.map(({ evaluators }) => evaluators);
const board = async (): Promise<LeaderboardView> =>
  (await world.call('GET', '/tasks/tone/leaderboard')).body as LeaderboardView;
const ofRow = async (id: string) => (await board()).rows.find(({ model }) => model.id === id)!.evaluators;
const remove = async (name: string): Promise<void> => {
  const { items } = (await world.call('GET', '/evaluators', { token: world.admin })).body as { items: EvaluatorView[] };
  const { id } = items.find((each) => each.name === name)!;
  expect((await world.call('DELETE', `/evaluators/${id}`, { token: world.admin })).status).toBe(204);
};

describe('the results of a model that an evaluator of a user ran', () => {
  beforeAll(start, 60_000);
  afterAll(() => gateway.close());

  it('name that evaluator, and those of evaluators of the service name none', async () => {
    const [own, other] = [await evaluated(lab), await evaluated(gpu, gateway.builder)];

    expect(await ofCells(own)).toEqual([[LAB], [LAB]]);
    expect(await ofCells(other)).toEqual([undefined, undefined]);
    expect([await ofRow(own), await ofRow(other)]).toEqual([[LAB], undefined]);
    const csv = (await world.call('GET', '/tasks/tone/leaderboard?format=csv')).body as string;
    const [header, ...lines] = csv.trimEnd().split('\r\n');
    const column = header!.split(',').indexOf('evaluators');
    const csvOf = (id: string) => lines.find((line) => line.includes(id))!.split(',')[column];
    expect([csvOf(own), csvOf(other)]).toEqual(['lab (owner)', '']);
    const file = await fetch(`${world.url}/api/v1/tasks/tone/leaderboard/matrix`);
    const { matrix, evaluators } = decodeMatrix(new Uint8Array(await file.arrayBuffer()));
    expect(matrix.ids.map((id, model) => [id, evaluators![model]])).toEqual(
      expect.arrayContaining([
        [own, [LAB]],
        [other, []],
      ]),
    );
  });

  it('name each evaluator with the datasets that it answered', async () => {
    const id = await admitted(lab, gateway.owner);
    const first = await lease(lab, 'evaluation');
    await answer(first, first.run.assignment.datasets.slice(0, 1));
    await end(first, { kind: 'released' });
    const second = await lease(gpu, 'evaluation');
    await answer(second);
    await end(second, FINISHED);
    await settle();

    expect((await ofCells(id)).toSorted()).toEqual([[LAB], undefined]);
    expect(await ofRow(id)).toEqual([LAB]);
  });

  it('name an evaluator that only measured, as long as its measurement counts', async () => {
    const id = await evaluated(gpu);
    const measure = async (token: string, hardware: string): Promise<void> => {
      await world.call('POST', `/models/${id}/rerun?measures=true`, { token: gateway.owner });
      const held = await lease(token, 'evaluation');
      expect(held.run.work).toBe('measures');
      await end(held, { ...FINISHED, measures: { ...COSTS, hardware } });
      await settle();
    };

    await measure(lab, 'A CPU');
    expect(await ofCells(id)).toEqual([[LAB], [LAB]]);
    expect(await ofRow(id)).toEqual([LAB]);

    // only costs of the newest class of hardware count
    await measure(gpu, 'Another CPU');
    expect(await ofCells(id)).toEqual([undefined, undefined]);
    expect(await ofRow(id)).toBeUndefined();
  });

  it('name evaluators of users in the signed result', async () => {
    const [own, other] = [await evaluated(lab), await evaluated(gpu)];
    const worker = await signingWorker(world);
    const signed = async (id: string) =>
      (await world.call('GET', `/models/${id}/result`)).body.result.evaluations as Record<string, unknown>[];

    expect((await signed(own)).map((each) => each['evaluators'])).toEqual([[LAB], [LAB]]);
    for (const each of await signed(other)) expect(each).not.toHaveProperty('evaluators');
    await worker.close();
  });

  it('name it after it is removed, also if another one has its name then', async () => {
    const short = await gateway.evaluator('short', gateway.owner);
    const id = await evaluated(short);

    await remove('short');
    await gateway.evaluator('short');

    expect(await ofRow(id)).toEqual([{ name: 'short', owner: 'owner' }]);
    expect(await ofCells(id)).toEqual([[{ name: 'short', owner: 'owner' }], [{ name: 'short', owner: 'owner' }]]);
    expect(await ofRow(await evaluated(gpu))).toBeUndefined();
  });

  it('name it if it is removed while its answers arrive', async () => {
    const late = await gateway.evaluator('late', gateway.owner);
    const id = await admitted(late, gateway.owner);
    const held = await lease(late, 'evaluation');
    const repository = new EvaluatorRepository(world.orm.em.fork());
    const before = await repository.ownHolder(held.run.assignment.run);

    // as a removal does before it releases the runs of the evaluator
    await world.orm.em.fork().execute(`update evaluator set state = 'removed' where name = 'late'`);

    expect(before).not.toBeNull();
    expect(await repository.ownHolder(held.run.assignment.run)).toBe(before);
    await world.call('POST', `/models/${id}/cancel`, { token: gateway.owner });
  });

  it('no longer name it after the account of its owner is deleted, except in frozen boards', async () => {
    const guest = await world.user('guest');
    await gateway.task('guests', { count: N }, guest);
    await world.call('PUT', '/tasks/tone/owner', { token: gateway.owner, body: { username: 'guest' } });
    const theirs = await gateway.evaluator('theirs', guest);
    const id = await admitted(theirs, gateway.builder, { allowForeignEvaluators: true });
    const held = await lease(theirs, 'evaluation');
    await answer(held);
    await end(held, FINISHED);
    await settle();
    const worker = await signingWorker(world);
    expect((await world.call('GET', `/models/${id}/result`)).status).toBe(200);
    await worker.close();
    const frozen = (await board()).revision;
    expect(await ofRow(id)).toEqual([{ name: 'theirs', owner: 'guest' }]);

    const deletion = { text: 'keep', password: 'guest-has-a-password' };
    expect((await world.call('POST', '/me/deletion', { token: guest, body: deletion })).status).toBe(200);

    const anonymous = [{ name: 'deleted', owner: expect.stringMatching(/^deleted-/) }];
    expect((await world.call('GET', `/models/${id}`)).body.evaluations[0].evaluators).toEqual(anonymous);
    expect(await world.orm.em.fork().findOne(SignedResult, { model: id })).toBeNull();
    await publishBoard(world, 'tone');
    expect(await ofRow(id)).toEqual(anonymous);
    const { rows } = (await world.call('GET', `/tasks/tone/leaderboard?asOf=r${frozen}`)).body as LeaderboardView;
    expect(rows.find(({ model }) => model.id === id)!.evaluators).toEqual([{ name: 'theirs', owner: 'guest' }]);
  });

  it('leave a board without such models as it was', async () => {
    const em = world.orm.em.fork();
    const revision = await new BoardRevisionRepository(em).newestWhole(await em.findOneOrFail(Task, { slug: 'tone' }));
    const plain = revision!.content.models.filter(({ evaluators }) => !evaluators);
    expect(plain.length).toBeGreaterThan(0);
    for (const model of plain) expect(Object.keys(model)).not.toContain('evaluators');
  });
});

describe('the list of evaluators', () => {
  beforeEach(start, 60_000);
  afterEach(() => gateway.close());

  const running = async (token: string, name = 'lab') => {
    const { items } = (await world.call('GET', '/evaluators', { token })).body as { items: EvaluatorView[] };
    return items.find((each) => each.name === name)?.running;
  };
  const since = expect.any(String);

  it('says what each evaluator runs now', async () => {
    expect(await running(gateway.owner)).toEqual([]);
    const { id } = await gateway.submit('tone', gateway.owner, { name: 'mine', publish: false });
    const admission = await lease(lab, 'admission');
    const model = { id, name: 'mine', owner: 'owner', task: 'tone' };
    expect(await running(gateway.owner)).toEqual([{ stage: 'admission', model, since }]);
    expect(await running(world.admin)).toEqual([{ stage: 'admission', model, since }]);
    expect(await running(world.admin, 'gpu')).toEqual([]);

    await end(admission, IMAGE);
    // a user's evaluator cannot make a model a copy of another one
    const stored = await world.orm.em.fork().findOneOrFail(Model, id, { populate: ['specification.artifact'] });
    expect(stored.specification!.artifact.image).not.toHaveProperty('contentDigest');
    expect(await running(gateway.owner)).toEqual([]);
    const evaluation = await lease(lab, 'evaluation');
    expect(await running(gateway.owner)).toEqual([{ stage: 'evaluation', model, since }]);
    await answer(evaluation);
    await end(evaluation, FINISHED);
    await settle();
    await world.call('POST', `/models/${id}/rerun?measures=true`, { token: gateway.owner });
    await lease(lab, 'evaluation');
    const served = { state: 'ready', evaluator: 'remote/lab', leaseUntil: new Date(Date.now() + 60_000) };
    await gateway.deploy(id, { ...served, readyAt: new Date(Date.now() + 1_000) });

    expect(await running(gateway.owner)).toEqual([
      { stage: 'measures', model, since },
      { stage: 'serving', model, since },
    ]);
    expect(await running(gateway.builder)).toBeUndefined();
  });

  it('does not name models that the owner of the evaluator may not see', async () => {
    await gateway.submit('tone', gateway.builder, { publish: false, allowForeignEvaluators: true });
    await lease(lab, 'admission');
    const transfer = { token: gateway.owner, body: { username: 'builder' } };
    expect((await world.call('PUT', '/tasks/tone/owner', transfer)).status).toBe(200);

    expect(await running(gateway.owner)).toEqual([{ stage: 'admission', since }]);
    expect(await running(world.admin)).toEqual([expect.objectContaining({ model: expect.anything() })]);
  });
});
