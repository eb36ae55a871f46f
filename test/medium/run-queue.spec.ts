import type { FreeCapacity } from '@assay/contracts/gateway';
import type { RunView } from '@assay/contracts/models';
import { EvaluationRequests } from '@assay/evaluation/evaluations';
import { Evaluator, EvaluatorRepository, leaseOwnerOf } from '@assay/evaluation/evaluators';
import { finishRun, recordAdmission } from '@assay/evaluation/outcomes';
import {
  type QueuePlaces,
  QueuePlaceRepository,
  Run,
  RUN_PRIORITY,
  RunLeases,
  RunRepository,
  type RunStage,
  runView,
} from '@assay/evaluation/runs';
import type { Principal } from '@assay/identity';
import { newId } from '@assay/kernel';
import { Model } from '@assay/submissions';
import type { Task } from '@assay/tasks';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { EvaluationWorld } from '../factories/worlds/evaluation-world.js';

const EVERYTHING = {
  owner: null,
  architecture: 'amd64',
  runtimes: ['runc', 'runsc'],
  memoryBytes: 2 ** 50,
  cpus: 1000,
};
const HOST = { architecture: 'amd64', cpus: 8, memoryBytes: 2 ** 40, runtimes: ['runc', 'runsc'] };
const NO_IMAGE = { port: 8080, protocol: null, unpackedBytes: 1000, unreadable: [] };

type Queued = Partial<Pick<Run, 'stage' | 'priority' | 'expectedSeconds'>> & {
  readonly task?: Task;
  readonly model?: Model;
  owner?: string;
};

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
    await world.em.nativeDelete(Evaluator, {});
  });
  afterAll(() => world.close());

  /** Queues runs, in the order of the list. Returns their IDs. */
  async function queue(...runs: readonly Queued[]): Promise<string[]> {
    const em = world.em;
    const created = runs.map(({ task = tasks[0]!, owner = users[0]!, model: { specification } = model, ...run }) =>
      em.create(Run, {
        id: newId(),
        ...{ stage: 'evaluation', specification: specification!.id, task: task.id, owner, ...run },
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

  const places = async (id: string, stage: RunStage = 'evaluation'): Promise<QueuePlaces> =>
    (await new QueuePlaceRepository(world.em).places({ id, stage }))!;

  /** Marks a run as one that has ended some seconds ago after it took some. */
  const ended = (id: string, { took, ago = 0 }: { readonly took: number; readonly ago?: number }): Promise<unknown> =>
    world.em.execute(
      `update run set state = 'done', evaluation_seconds = ?, finished_at = now() - make_interval(secs => ?) where id = ?`,
      [took, ago, id],
    );

  async function evaluator(
    given: Partial<Pick<Evaluator, 'name' | 'slots' | 'problem' | 'host'>> & { owner?: string } = {},
  ): Promise<void> {
    const em = world.em;
    const { name = 'gpu', slots = 1, owner = null, problem = null, host = HOST } = given;
    const tokenHash = newId();
    em.create(Evaluator, {
      name,
      slots,
      owner,
      problem,
      tokenHash,
      protocol: 2,
      version: '1',
      host,
      lastSeenAt: new Date(),
    });
    await em.flush();
  }

  /** Returns a run as it is shown to a user. Times are in seconds from now. */
  async function shown(id: string, { stage = 'evaluation', state = 'queued', user = users[0]! }: Shown = {}) {
    const principal: Principal = {
      ...{ userId: user, username: 'x', role: 'user', isVerified: true },
      ...{ credentialId: '', scope: 'read' },
    };
    const run = {
      id,
      kind: 'container',
      stage,
      state,
      attempts: 0,
      since: new Date().toISOString(),
      ahead: null,
    } as const;
    const view = runView(principal, run, await places(id, stage));
    return { ...view, startsIn: secondsUntil(view.expectedStart), endsIn: secondsUntil(view.expectedEnd) };
  }
  interface Shown {
    readonly stage?: RunStage;
    readonly state?: 'queued' | 'leased';
    readonly user?: string;
  }

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
      { priority: RUN_PRIORITY.requested, expectedSeconds: 1, owner: users[2]! },
      { expectedSeconds: 1000, owner: users[0]! },
      { expectedSeconds: 100, owner: users[0]! },
      { expectedSeconds: 10, owner: users[1]! },
      { expectedSeconds: 11, owner: users[1]! },
    );

    expect(await leaseAll()).toEqual([3, 2, 4, 1, 0].map((index) => runs[index]));
  });

  it('leases measurements that users have requested first, then those that a board weighs', async () => {
    const { automatic, automaticWeighed, requested, requestedWeighed } = RUN_PRIORITY;
    const priorities = [automatic, automaticWeighed, requested, requestedWeighed];
    const runs = await queue(
      ...priorities.flatMap((priority) => [
        { priority, owner: users[0]! },
        { priority, owner: users[0]! },
        { priority, owner: users[1]! },
      ]),
    );

    // in each class, the owners alternate
    expect(await leaseAll()).toEqual([9, 11, 10, 6, 8, 7, 3, 5, 4, 0, 2, 1].map((index) => runs[index]));
  });

  it('leases no measurement to an evaluator that has other runs', async () => {
    const [measuring] = await queue({ priority: RUN_PRIORITY.requested });
    expect(await new RunRepository(world.em).next('evaluation', EVERYTHING, { isIdle: false })).toBeNull();
    expect(await next()).toBe(measuring);
  });

  describe('of evaluations that wait for a measurement', () => {
    const REQUESTED = { priority: RUN_PRIORITY.requestedWeighed };
    const waited = (minutes: number, ...ids: readonly (string | undefined)[]) =>
      world.em.execute(`update run set created_at = now() - make_interval(mins => ?) where id = any(?::uuid[])`, [
        minutes,
        `{${ids.join(',')}}`,
      ]);

    it.each([
      ['that a user has requested', RUN_PRIORITY.requestedWeighed],
      ['that is the first one of a model', RUN_PRIORITY.automaticWeighed],
    ])('leases one before them %s and a board weighs, if it has waited 30 minutes', async (_which, priority) => {
      const [requested, automatic, evaluation, due] = await queue(
        { priority: RUN_PRIORITY.requested },
        { priority: RUN_PRIORITY.automatic },
        { owner: users[1]! },
        { priority },
      );
      await waited(31, requested, automatic);
      await waited(29, due);
      expect(await next()).toBe(evaluation);

      await waited(31, due);
      expect(await new RunRepository(world.em).next('evaluation', EVERYTHING, { isIdle: false })).toMatchObject({
        id: due,
        drains: true,
      });
    });

    it('leases none to a host where such measurements took more than a fifth of the time', async () => {
      await evaluator();
      const { id } = await world.em.findOneOrFail(Evaluator, { name: 'gpu' });
      const nextFor = (asking: string | null) =>
        new RunRepository(world.em).next('evaluation', EVERYTHING, { evaluator: asking });
      const [past, due, evaluation] = await queue(REQUESTED, REQUESTED, {});
      await waited(40, due);
      await new EvaluatorRepository(world.em).recordDrain(id, past!);

      await ended(past!, { took: 100, ago: 390 });
      expect(await nextFor(id)).toMatchObject({ id: evaluation, drains: false });
      expect(await nextFor(null)).toMatchObject({ id: due, drains: true });
      await ended(past!, { took: 100, ago: 401 });
      expect(await nextFor(id)).toMatchObject({ id: due, drains: true });
    });
  });

  it('leases only what the evaluator can run', async () => {
    const [run] = await queue({});

    const asked = (on: Partial<typeof EVERYTHING>) =>
      new RunRepository(world.em).next('evaluation', { ...EVERYTHING, ...on });
    expect(await asked({ memoryBytes: 1 })).toBeNull();
    expect(await asked({ runtimes: [] })).toBeNull();
    expect(await asked({ architecture: 'arm64' })).toBeNull();
    expect(await asked({})).toMatchObject({ id: run });
  });

  it('leaves measuring runs to other evaluators for a while', async () => {
    const [measuring, evaluating] = await queue({ priority: RUN_PRIORITY.automatic }, {});
    const nextFor = async (leftSeconds: number) =>
      (await new RunRepository(world.em).next('evaluation', EVERYTHING, { leftSeconds }))?.id;
    expect(await nextFor(60)).toBe(evaluating);

    await world.em.nativeUpdate(Run, evaluating!, { state: 'cancelled' });
    expect(await nextFor(60)).toBeUndefined();
    await world.em.execute(`update run set created_at = now() - interval '61 s' where id = ?`, [measuring]);
    expect(await nextFor(60)).toBe(measuring);
  });

  it('lets a run wait until the evaluator has what it needs, and leases no other run before it', async () => {
    const wide = await world.model(await world.task({ limits: { cpus: 4, memory: '8 GiB' } }), { admitted: true });
    const [first, second] = await queue({ model: wide, owner: users[0]! }, { owner: users[1]! });
    const asked = (free: FreeCapacity, on: Partial<typeof EVERYTHING> = {}) =>
      new RunRepository(world.em).next('evaluation', { ...EVERYTHING, ...on }, { free });

    expect(await asked({ cpus: 3.5, memoryBytes: 2 ** 40 })).toBeNull();
    expect(await asked({ cpus: 4, memoryBytes: 2 ** 30 })).toBeNull();
    expect(await asked({ cpus: 4, memoryBytes: 2 ** 33 })).toMatchObject({ id: first });
    // an evaluator that can never run it has no reason to wait
    expect(await asked({ cpus: 1, memoryBytes: 2 ** 40 }, { cpus: 2 })).toMatchObject({ id: second });
  });

  it('predicts the order in which runs are leased', async () => {
    const seconds = fc.option(fc.integer({ min: 1, max: 500 }), { nil: null });
    const index = fc.nat({ max: 2 });
    const some = fc.record({ owner: index, task: index, expectedSeconds: seconds, isMeasure: fc.nat({ max: 4 }) });
    const used = fc.record({ owner: index, task: index, took: fc.integer({ min: 1, max: 900 }) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(some, { minLength: 2, maxLength: 14 }),
        fc.array(used, { maxLength: 4 }),
        async (waiting, before) => {
          const last = await queue(...before.map(({ owner, task }) => ({ owner: users[owner]!, task: tasks[task]! })));
          for (const [place, id] of last.entries()) await ended(id, { took: before[place]!.took, ago: 60 });
          const ids = await queue(
            ...waiting.map(({ owner, task, expectedSeconds, isMeasure }) => ({
              ...{ owner: users[owner]!, task: tasks[task]!, expectedSeconds },
              priority: isMeasure === 0 ? RUN_PRIORITY.automatic : RUN_PRIORITY.evaluation,
            })),
          );
          const evaluations = ids.filter((_, place) => waiting[place]!.isMeasure > 0);
          const ahead = new Map<string, number>();
          for (const id of evaluations) ahead.set(id, (await places(id)).stage.before.length);

          const leased = await leaseAll();

          expect(leased.slice(0, evaluations.length).map((id) => ahead.get(id))).toEqual(evaluations.map((_, n) => n));
          expect(leased).toHaveLength(ids.length);
          await world.em.execute(`update run set state = 'cancelled', finished_at = now() - interval '1 d'`);
        },
      ),
      { numRuns: 12 },
    );
  });

  it('estimates starts and ends with two slots', async () => {
    await evaluator({ slots: 2 });
    const runs = await queue(
      ...[100, 50, 30, 15].map((expectedSeconds, index) => ({ expectedSeconds, owner: users[index]! })),
    );
    const order = [...runs].reverse();
    expect(await lease(5)).toBe(order[0]);
    expect(await lease(10)).toBe(order[1]);

    const third = await shown(order[2]!, { user: users[1]! });
    const fourth = await shown(order[3]!, { user: users[0]! });

    // the slots become free in 10 and 20 seconds
    expect(third).toMatchObject({ ahead: 0, queued: 2, startsIn: 10, endsIn: 60 });
    expect(fourth).toMatchObject({ ahead: 1, queued: 2, startsIn: 20, endsIn: 120 });
    expect(third.running).toHaveLength(2);
    expect(await shown(order[1]!, { state: 'leased' })).toMatchObject({ endsIn: 20 });
    expect((await shown(order[1]!, { state: 'leased' })).expectedStart).toBeUndefined();
  });

  it('counts the cores that runs take, and a whole host for a measurement and for hidden data', async () => {
    await evaluator({ slots: 4 });
    const wide = await world.model(await world.task({ limits: { cpus: 3 } }), { admitted: true });
    const task = await world.task();
    await world.dataset(task, 'secret', { visibility: 'hidden' });
    const hidden = await world.model(task, { admitted: true });
    await world.transaction((em) => requests.requestMissing(em, task, hidden.specification!));
    const [alone] = (await world.runs(hidden)) as [Run];
    await world.em.nativeUpdate(Run, alone.id, { expectedSeconds: 7, owner: users[3]! });
    const [measuring, second, third] = await queue(
      { priority: RUN_PRIORITY.requested, expectedSeconds: 50 },
      { model: wide, expectedSeconds: 20, owner: users[1]! },
      { expectedSeconds: 100, owner: users[2]! },
    );
    const claim = { owner: 'remote/gpu', leaseSeconds: 60, deadlineSeconds: 600 };
    await new RunRepository(world.em).claim(measuring!, 'evaluation', claim);

    // the measurement ends in 50 seconds
    expect(await shown(alone.id)).toMatchObject({ ahead: 0, startsIn: 50, endsIn: 57 });
    expect(await shown(second!)).toMatchObject({ ahead: 1, startsIn: 57, endsIn: 77 });
    expect(await shown(third!)).toMatchObject({ ahead: 2, startsIn: 57, endsIn: 157 });
  });

  it('says when an estimate has passed', async () => {
    await evaluator();
    const [running, waiting] = await queue({ expectedSeconds: 10 }, { expectedSeconds: 20 });
    expect(await lease(40)).toBe(running);

    expect(await shown(running!, { state: 'leased' })).toMatchObject({ endsIn: -30 });
    expect(await shown(waiting!)).toMatchObject({ ahead: 0, startsIn: -30, endsIn: 20 });
  });

  it('says why it has no estimate', async () => {
    const [first, second] = await queue(
      { expectedSeconds: null, owner: users[0]! },
      { expectedSeconds: 9, owner: users[0]! },
    );
    expect(await shown(first!)).toMatchObject({ noEstimate: 'no_evaluator' });
    await evaluator({ name: 'of-another', owner: users[3]! });
    await evaluator({ name: 'arm', host: { ...HOST, architecture: 'arm64' } });
    await evaluator({ name: 'full', problem: 'The disk of /var/lib/docker has 1 MiB free.' });
    expect(await shown(first!)).toMatchObject({ noEstimate: 'no_fitting_evaluator' });
    await evaluator();
    expect(await shown(second!)).toMatchObject({ ahead: 0, startsIn: 0, endsIn: 9 });

    // its start is known, as a slot is idle, but not its end
    await ended(second!, { took: 9, ago: 4000 });
    await world.em.execute(`update run set kind = 'onnx' where id = ?`, [first]);
    const unknown = await shown(first!);
    expect(unknown).toMatchObject({ startsIn: 0, noEstimate: 'no_history' });
    expect(unknown.expectedEnd).toBeUndefined();
  });

  it('expects of a run what the last ones of its task and kind took, then those of its kind', async () => {
    await evaluator();
    const past = await queue({ task: tasks[1]! }, { task: tasks[1]! }, { task: tasks[1]! }, { task: tasks[2]! });
    for (const [index, took] of [10, 30, 20, 600].entries()) await ended(past[index]!, { took, ago: 4000 });
    const [known] = await queue({ task: tasks[1]! });
    expect((await places(known!)).stage.expectedSeconds).toBe(20);
    await world.em.execute(`update run set state = 'cancelled' where id = ?`, [known]);
    const [other] = await queue({ task: tasks[0]! });
    expect((await places(other!)).stage.expectedSeconds).toBe(25);
  });

  it('includes the evaluation in the estimate of a run that waits for its admission', async () => {
    await evaluator({ slots: 1 });
    const [past, busy] = await queue({}, { expectedSeconds: 100 });
    await ended(past!, { took: 40, ago: 4000 });
    await world.em.execute('update run set admission_seconds = 7 where id = ?', [past]);
    expect(await lease(10)).toBe(busy);
    const [run] = await queue({ stage: 'admission', owner: users[1]! });

    // it is admitted beside the running one, which ends in 90 seconds
    expect(await shown(run!, { stage: 'admission' })).toMatchObject({ ahead: 0, queued: 1, startsIn: 0, endsIn: 130 });
  });

  it('names of the running models only those that the viewer may see', async () => {
    const [task] = tasks;
    const secret = await world.model(task!, { owner: users[0]!, admitted: true, published: false });
    await world.dataset(task!, newId());
    await world.transaction((em) => requests.requestMissing(em, task!, secret.specification!));
    await evaluator();
    await lease();
    const [waiting] = await queue({ owner: users[1]! });

    const seenBy = async (user: string): Promise<RunView['running']> => (await shown(waiting!, { user })).running;
    expect(await seenBy(users[1]!)).toEqual([{ since: expect.any(String) }]);
    expect(await seenBy(users[0]!)).toMatchObject([{ model: { id: secret.id, name: 'A model' } }]);
    expect(await seenBy(task!.owner.id)).toMatchObject([{ model: { id: secret.id } }]);
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

/** Returns rounded seconds from now until a time. */
const secondsUntil = (time: string | undefined): number | undefined =>
  time === undefined ? undefined : Math.round((Date.parse(time) - Date.now()) / 1000) + 0;
