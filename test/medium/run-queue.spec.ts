import { EvaluationRequests } from '@assay/evaluation/evaluations';
import { leaseOwnerOf } from '@assay/evaluation/evaluators';
import { finishRun, recordAdmission } from '@assay/evaluation/outcomes';
import { Run, RunLeases, RunRepository, type RunStage } from '@assay/evaluation/runs';
import { newId } from '@assay/kernel';
import { Model } from '@assay/submissions';
import type { Task } from '@assay/tasks';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { EvaluationWorld } from '../factories/worlds/evaluation-world.js';

const EVERYTHING = { owner: null, runtimes: ['runc', 'runsc'], memoryBytes: 2 ** 50, cpus: 1000 };
const NO_IMAGE = { port: 8080, protocol: null, unpackedBytes: 1000, unreadable: [] };

type Queued = Partial<Pick<Run, 'stage' | 'purpose' | 'expectedSeconds'>> & { readonly task?: Task; owner?: string };

describe('the queue of runs', () => {
  const requests = new EvaluationRequests();
  let world: EvaluationWorld;
  let tasks: readonly Task[];
  let model: Model;
  /** IDs of users. */
  let users: readonly string[];

  beforeAll(async () => {
    world = await EvaluationWorld.create();
    tasks = await Promise.all([1, 2, 3].map(() => world.task()));
    users = await Promise.all([1, 2, 3, 4].map(() => world.user()));
    model = await world.model(tasks[0]!, { admitted: true });
  });
  afterEach(async () => {
    await world.em.execute(`update run set state = 'cancelled', finished_at = now() - interval '1 d'`);
  });
  afterAll(() => world.close());

  /** Queues runs, in the order of the list. Returns their IDs. */
  async function queue(...runs: readonly Queued[]): Promise<string[]> {
    const em = world.em;
    const created = runs.map(({ task = tasks[0]!, owner = users[0]!, ...run }) =>
      em.create(Run, {
        id: newId(),
        ...{ stage: 'evaluation', specification: model.specification!.id, task: task.id, owner, ...run },
        deadline: new Date(Date.now() + 7 * 86_400_000),
      }),
    );
    await em.flush();
    return created.map(({ id }) => id);
  }

  const next = async (stage: RunStage = 'evaluation'): Promise<string | undefined> =>
    (await new RunRepository(world.em).next(stage, EVERYTHING))?.id;

  /** Leases the next run, for some seconds already. */
  async function lease(seconds = 0, by = 'remote/gpu'): Promise<string | undefined> {
    const id = await next();
    if (id === undefined) return undefined;
    await new RunRepository(world.em).claim(id, 'evaluation', { owner: by, leaseSeconds: 60, deadlineSeconds: 600 });
    await world.em.execute('update run set leased_at = leased_at - make_interval(secs => ?) where id = ?', [
      seconds,
      id,
    ]);
    return id;
  }

  async function leaseAll(): Promise<string[]> {
    const leased: string[] = [];
    for (let id = await lease(); id !== undefined; id = await lease()) leased.push(id);
    return leased;
  }

  /** Marks a run as one that has ended some seconds ago after it took some. */
  const ended = (id: string, { took, ago = 0 }: { readonly took: number; readonly ago?: number }): Promise<unknown> =>
    world.em.execute(
      `update run set state = 'done', evaluation_seconds = ?, finished_at = now() - make_interval(secs => ?) where id = ?`,
      [took, ago, id],
    );

  it('leases the only run of an owner before the 40 of another', async () => {
    const many = await queue(...Array<Queued>(40).fill({ owner: users[0]! }));
    expect(await lease()).toBe(many[0]);
    const [single] = await queue({ owner: users[1]! });

    expect(await lease()).toBe(single);
    expect(await lease()).toBe(many[1]);
  });

  it('counts what an owner used in the last hour', async () => {
    const [used] = await queue({ owner: users[0]! });
    await ended(used!, { took: 300, ago: 600 });
    const [first, second] = await queue({ owner: users[0]! }, { owner: users[1]! });

    expect(await next()).toBe(second);
    await ended(used!, { took: 300, ago: 3601 });
    expect(await next()).toBe(first);
  });

  it('alternates between the tasks of an owner', async () => {
    const [one, two] = tasks;
    const runs = await queue({ task: one! }, { task: one! }, { task: one! }, { task: two! }, { task: two! });

    expect(await leaseAll()).toEqual([0, 3, 1, 4, 2].map((index) => runs[index]));
  });

  it('leases short runs before long ones of equal share, and evaluations before measurements', async () => {
    const runs = await queue(
      { purpose: 'measures', expectedSeconds: 1, owner: users[2]! },
      { expectedSeconds: 1000, owner: users[0]! },
      { expectedSeconds: 100, owner: users[0]! },
      { expectedSeconds: 10, owner: users[1]! },
      { expectedSeconds: 11, owner: users[1]! },
    );

    expect(await leaseAll()).toEqual([3, 2, 4, 1, 0].map((index) => runs[index]));
  });

  it('leases only what the evaluator can run', async () => {
    const [run] = await queue({});

    const asked = (on: Partial<typeof EVERYTHING>) =>
      new RunRepository(world.em).next('evaluation', { ...EVERYTHING, ...on });
    expect(await asked({ memoryBytes: 1 })).toBeNull();
    expect(await asked({ runtimes: [] })).toBeNull();
    expect(await asked({})).toMatchObject({ id: run });
  });

  it('is charged to the owner whose model is the oldest, with what earlier runs took', async () => {
    const [task] = tasks;
    const bytes = newId();
    const first = await world.model(task!, { bytes, owner: users[0]!, admitted: true });
    const second = await world.model(task!, { bytes, owner: users[1]!, admitted: true });
    await world.dataset(task!, newId());
    const request = () => world.transaction((em) => requests.requestMissing(em, task!, first.specification!));
    const { run } = await request();
    const stored = () => world.em.findOneOrFail(Run, { specification: first.specification!.id, state: 'queued' });
    expect(await stored()).toMatchObject({ id: run, owner: { id: users[0] }, expectedSeconds: null });

    await world.transaction(async (em) =>
      requests.cancel(em, await em.findOneOrFail(Model, first.id, { populate: ['task', 'specification'] })),
    );
    expect(await stored()).toMatchObject({ id: run, owner: { id: users[1] } });

    const claim = (await new RunLeases(world.em, 'me').claim(run!, 'evaluation', 60))!;
    await world.em.execute(`update run set leased_at = now() - interval '90 s' where id = ?`, [run]);
    await world.em.execute(`update evaluation set state = 'scored' where specification_id = ?`, [
      first.specification!.id,
    ]);
    await finishRun(claim, { measures: null });
    claim.close();
    const done = await world.em.findOneOrFail(Run, run!);
    expect(done).toMatchObject({ state: 'done', leasedAt: null, admissionSeconds: null });
    expect(Math.round(done.evaluationSeconds!)).toBe(90);
    await world.dataset(task!, newId());
    await request();
    expect(await stored()).toMatchObject({ owner: { id: second.owner.id }, expectedSeconds: 90 });
  });

  it('stores how long each stage took', async () => {
    const [run] = await queue({ stage: 'admission' });
    const claim = (await new RunLeases(world.em, leaseOwnerOf({ name: 'gpu' })).claim(run!, 'admission', 60))!;
    await world.em.execute(`update run set leased_at = now() - interval '7 s' where id = ?`, [run]);
    await recordAdmission(claim, NO_IMAGE);
    claim.close();

    const admitted = await world.em.findOneOrFail(Run, run!);
    expect(admitted).toMatchObject({ state: 'queued', stage: 'evaluation', leasedAt: null, evaluationSeconds: null });
    expect(Math.round(admitted.admissionSeconds!)).toBe(7);
  });
});
