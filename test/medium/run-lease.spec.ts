import { failure, type ModelKind } from '@assay/contracts/models';
import type { JobMap, QueueName } from '@assay/contracts/webhooks';
import { OutboxDispatcher, Reconciler } from '@assay/evaluation';
import { type ComputedScore, EvaluationRequests, recordScore, type StoredAnswers } from '@assay/evaluation/evaluations';
import {
  abandonRun,
  failEvaluation,
  finishRun,
  missingEvaluations,
  recordAdmission,
  recordAnswers,
  recordStart,
  postponeRun,
  releaseRun,
  retryRun,
  startEvaluation,
} from '@assay/evaluation/outcomes';
import { LeaseLost, Run, RUN_PRIORITY, type RunLease, RunLeases, RunRepository } from '@assay/evaluation/runs';
import type { EnqueueOptions } from '@assay/jobs';
import { LeaderboardPublisher } from '@assay/leaderboard/boards';
import { Notifications, OutboxRelay } from '@assay/persistence/outbox';
import { type Model, RunSpecificationRepository } from '@assay/submissions';
import { Task } from '@assay/tasks';
import { BenchmarksService, markBoardStale } from '@assay/tasks/benchmarks';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EvaluationWorld } from '../factories/worlds/evaluation-world.js';
import { countLockWaits } from '../factories/worlds/lock-waits.js';
import { until } from '../factories/until.js';

/** A job queue that records its jobs. */
class RecordedJobs {
  readonly live = new Map<string, { queue: QueueName; payload: JobMap[QueueName]; delay?: number | undefined }>();

  enqueue<Q extends QueueName>(queue: Q, payload: JobMap[Q], { jobId, ...when }: EnqueueOptions): Promise<void> {
    this.live.set(jobId, { queue, payload, ...when });
    return Promise.resolve();
  }

  isLive(_queue: QueueName, jobId: string): Promise<boolean> {
    return Promise.resolve(this.live.has(jobId));
  }

  liveIds(): Promise<ReadonlySet<string>> {
    return Promise.resolve(new Set(this.live.keys()));
  }
}

/** Answers of the model whose predictions file has this name. */
const answers = (predictions: string): StoredAnswers => ({
  predictions: predictions.repeat(64),
  invalid: 0,
  measures: null,
  seen: null,
  timed: [],
});

/** The score of every dataset. */
const SCORE: ComputedScore = {
  metrics: { accuracy: { value: 0.75, low: 0, high: 1 } },
  slices: {},
  sliceSpreads: {},
  calibration: null,
  perturbed: null,
  scoringKey: null,
  signatures: {},
  labelDiffers: null,
  resamples: null,
};

const EVERYTHING = {
  owner: null,
  architecture: 'amd64',
  runtimes: ['runc', 'runsc'],
  memoryBytes: 2 ** 50,
  cpus: 1000,
};

describe('a run', () => {
  const requests = new EvaluationRequests();
  let world: EvaluationWorld;
  beforeAll(async () => {
    world = await EvaluationWorld.create();
  });
  afterAll(() => world.close());

  async function requested(
    given: { admitted?: boolean; datasets?: string[]; kind?: ModelKind } = {},
  ): Promise<{ run: string; model: Model }> {
    const task = await world.task();
    for (const name of given.datasets ?? ['one']) await world.dataset(task, name);
    const model = await world.model(task, { admitted: given.admitted ?? true, kind: given.kind ?? 'container' });
    const { run } = await world.transaction((em) => requests.requestMissing(em, task, model.specification!));
    return { run: run!, model };
  }
  /** Scores the answers of the model as a worker does. */
  async function scoreAll(model: Model): Promise<void> {
    const task = await world.em.findOneOrFail(Task, model.task.id);
    for (const cell of await world.cells(model)) await recordScore(world.em, task, cell, SCORE);
  }
  const expire = (run: string) =>
    world.em.execute(`update run set lease_until = now() - interval '1 s' where id = ?`, [run]);

  /** Returns the seconds until a queued run may be leased, rounded; null: at once. */
  async function secondsUntilNext(run: string): Promise<number | null> {
    const [row] = await world.em.execute<{ seconds: number | null }[]>(
      'select round(extract(epoch from not_before - now()))::int as seconds from run where id = ?',
      [run],
    );
    return row!.seconds;
  }

  /** Returns the jobs that the outbox enqueues. */
  async function enqueuedJobs(): Promise<RecordedJobs> {
    const jobs = new RecordedJobs();
    const notifications = new Notifications({ url: world.url });
    await new OutboxRelay(world.em, notifications, new OutboxDispatcher(world.em, jobs).dispatch).drain();
    await notifications.close();
    return jobs;
  }

  it('is claimed by one of many at the same time', async () => {
    const { run, model } = await requested();
    const claimers = Array.from({ length: 8 }, (_, index) => new RunLeases(world.em, `evaluator-${index}`));

    const leases = await Promise.all(claimers.map((claimer) => claimer.claim(run, 'evaluation', 60)));

    const held = leases.filter((lease) => lease !== null);
    expect(held).toHaveLength(1);
    expect(held[0]!.fence).toBe(1);
    await recordStart(held[0]!);
    expect(await world.state(model)).toMatchObject({ state: 'running' });
    held[0]!.close();
  });

  it('is not claimed at another stage', async () => {
    const { run } = await requested({ admitted: false });

    expect(await new RunLeases(world.em, 'me').claim(run, 'evaluation', 60)).toBeNull();
  });

  it('is taken over after the lease, and the stale writer changes no row', async () => {
    const { run, model } = await requested();
    const stale = (await new RunLeases(world.em, 'stale').claim(run, 'evaluation', 60))!;
    const [cell] = await missingEvaluations(world.em, stale);
    await startEvaluation(stale, cell!.id);
    await expire(run);
    const fresh = (await new RunLeases(world.em, 'fresh').claim(run, 'evaluation', 60))!;
    expect(fresh).toMatchObject({ fence: 2, attempts: 1 });
    await recordAnswers(fresh, cell!.id, answers('a'));

    await expect(recordAnswers(stale, cell!.id, answers('b'))).rejects.toThrow(LeaseLost);
    await expect(finishRun(stale, { measures: null })).rejects.toThrow(LeaseLost);
    expect(stale.signal.aborted).toBe(true);
    expect(await world.cells(model)).toMatchObject([{ state: 'running', predictions: 'a'.repeat(64) }]);

    // a second result of the lease holder itself does not count either
    await recordAnswers(fresh, cell!.id, answers('c'));
    expect(await world.cells(model)).toMatchObject([{ predictions: 'a'.repeat(64) }]);
    expect(await finishRun(fresh, { measures: null, log: { log: 'done', logSeen: [], withheldBytes: null } })).toBe(
      true,
    );
    expect(await world.state(model)).toMatchObject({ state: 'running' });
    await scoreAll(model);
    expect(await world.state(model)).toMatchObject({ state: 'scored' });
    expect(await world.runs(model)).toMatchObject([{ state: 'done', failure: null, leaseOwner: null, log: 'done' }]);
    fresh.close();
    stale.close();
  });

  it('is ended or put back only under the fence of its claim, even if the check of the lease has passed', async () => {
    const { run, model } = await requested();
    const stale = (await new RunLeases(world.em, 'stale').claim(run, 'evaluation', 60))!;
    await expire(run);
    const fresh = (await new RunLeases(world.em, 'fresh').claim(run, 'evaluation', 60))!;
    const checked = Object.assign(Object.create(stale) as RunLease, { write: fresh.write.bind(fresh) });

    for (const change of [abandonRun, releaseRun]) {
      await change(checked);
      expect(await world.runs(model)).toMatchObject([{ state: 'leased', fence: 2, leaseOwner: 'fresh' }]);
    }

    await abandonRun(fresh);
    expect(await world.runs(model)).toMatchObject([{ state: 'cancelled', leaseOwner: null }]);
    fresh.close();
    stale.close();
  });

  it('stays held where the same evaluator has claimed it again before it let go of it', async () => {
    const { run } = await requested();
    const leases = new RunLeases(world.em, 'me');
    const first = (await leases.claim(run, 'evaluation', 60))!;
    await expire(run);
    const second = (await leases.claim(run, 'evaluation', 60))!;

    first.close();

    expect(leases.live).toEqual(new Set([run]));
    second.close();
    expect(leases.live).toEqual(new Set());
  });

  it('keeps its lease while it is renewed, and learns of its loss', async () => {
    const { run } = await requested();
    const leases = new RunLeases(world.em, 'me', { leaseSeconds: 5, renewSeconds: 0.2 });
    const others = new RunLeases(world.em, 'other');
    const lease = (await leases.claim(run, 'evaluation', 60))!;
    const hasPassed = async (time: unknown): Promise<boolean> =>
      (await world.em.execute<{ passed: boolean }[]>('select now() > ? as passed', [time]))[0]!.passed;
    const [held] = await world.em.execute<{ until: unknown }[]>('select lease_until as until from run where id = ?', [
      run,
    ]);
    await until(() => hasPassed(held!.until));
    expect(await others.claim(run, 'evaluation', 60)).toBeNull();
    expect(lease.signal.aborted).toBe(false);

    let taken: RunLease | null = null;
    // a renewal may happen between the two
    while (!taken) {
      await expire(run);
      taken = await others.claim(run, 'evaluation', 60);
    }
    taken.close();
    await until(() => lease.signal.aborted);

    expect(lease.signal.reason).toBeInstanceOf(LeaseLost);
    lease.close();
    expect(leases.live.size).toBe(0);
  });

  it('has a lease from now, also where the clock was set back since the last renewal', async () => {
    const { run } = await requested();
    const lease = (await new RunLeases(world.em, 'me').claim(run, 'evaluation', 60))!;
    await world.em.execute(`update run set lease_until = now() + interval '1 hour' where id = ?`, [run]);

    await lease.renew();

    const soon = `select id from run where id = ? and lease_until < now() + interval '70 seconds'`;
    expect(await world.em.execute(soon, [run])).toHaveLength(1);
    lease.close();
  });

  it('has a lease from the end of a wait for a lock, not from the start of the transaction that waited', async () => {
    const { run, model } = await requested();
    const lease = (await new RunLeases(world.em, 'me').claim(run, 'evaluation', 60))!;
    let write!: Promise<void>;
    let since: unknown;
    await world.transaction(async (em) => {
      await new RunSpecificationRepository(em).lock(model.specification!.id);
      write = recordStart(lease);
      await until(async () => (await countLockWaits(world.em)) > 0);
      [{ since }] = await em.execute<[{ since: unknown }]>('select clock_timestamp() as since');
    });
    await write;

    const whole = `select id from run where id = ? and lease_until >= ?::timestamptz + interval '60 seconds'`;
    expect(await world.em.execute(whole, [run, since])).toHaveLength(1);
    lease.close();
  });

  it('continues from admission to evaluation, and has a job of another name', async () => {
    const { run, model } = await requested({ admitted: false });
    const lease = (await new RunLeases(world.em, 'me').claim(run, 'admission', 60))!;

    await recordAdmission(lease, { port: 80, protocol: null, unpackedBytes: 1, unreadable: [] });
    lease.close();

    expect(await world.runs(model)).toMatchObject([{ stage: 'evaluation', state: 'queued', attempts: 0 }]);
    expect(await world.state(model)).toMatchObject({ state: 'queued' });
    expect(await world.events('run.requested')).toContainEqual({
      runId: run,
      stage: 'evaluation',
      attempt: 1,
      kind: 'container',
    });
  });

  it('waits again when cells were added while it ran', async () => {
    const { run, model } = await requested();
    const lease = (await new RunLeases(world.em, 'me').claim(run, 'evaluation', 60))!;
    const [cell] = await missingEvaluations(world.em, lease);
    await recordAnswers(lease, cell!.id, answers('a'));
    const task = await world.em.findOneOrFail(Task, model.task.id, { populate: ['owner'] });
    await world.dataset(task, 'later');
    const added = await world.transaction((em) => requests.requestMissing(em, task, model.specification!));
    expect(added).toEqual({ run, missing: 1 });

    expect(await finishRun(lease, { measures: null })).toBe(false);
    lease.close();

    expect(await world.runs(model)).toMatchObject([{ state: 'queued' }]);
    expect(await world.state(model)).toMatchObject({ state: 'queued' });
  });

  it('fails a model with the failure of the first cell that failed', async () => {
    const { run, model } = await requested({ datasets: ['a', 'b'] });
    const lease = (await new RunLeases(world.em, 'me').claim(run, 'evaluation', 60))!;
    const [a, b] = await missingEvaluations(world.em, lease);
    await recordAnswers(lease, a!.id, answers('a'));
    await failEvaluation(lease, b!.id, failure('unknown_label', 'Prediction 3 is "maybe".'));
    expect(await world.state(model)).toMatchObject({ state: 'running' });
    await finishRun(lease, { measures: null });
    lease.close();

    expect(await world.state(model)).toMatchObject({ state: 'failed', failure: { code: 'unknown_label' } });
  });

  it('is tried three times when the platform fails, and never blames the model', async () => {
    const { run, model } = await requested();
    for (let attempt = 0; attempt < 3; attempt++) {
      expect(await world.state(model)).toMatchObject({ state: 'queued' });
      const lease = (await new RunLeases(world.em, 'me').claim(run, 'evaluation', 60))!;
      expect(lease.attempts).toBe(attempt);
      await retryRun(lease, 'the engine did not answer');
      lease.close();
    }

    const failed = { state: 'failed', failure: { code: 'platform_failed', fault: 'platform' } };
    expect(await world.state(model)).toMatchObject(failed);
    expect(await world.runs(model)).toMatchObject([{ ...failed, leaseOwner: null }]);
  });

  it('waits before it is tried again, the longer the more often it was', async () => {
    const files = await requested({ kind: 'predictions' });
    for (const { run, stage } of [
      { run: files.run, stage: 'admission' },
      { run: (await requested()).run, stage: 'evaluation' },
    ] as const) {
      const waits: (number | null)[] = [await secondsUntilNext(run)];
      for (let attempt = 0; attempt < 2; attempt++) {
        const lease = (await new RunLeases(world.em, 'me').claim(run, stage, 60))!;
        await retryRun(lease, 'the engine is shutting down');
        lease.close();
        waits.push(await secondsUntilNext(run));
      }
      expect(waits).toEqual([null, 5, 20]);
    }

    const { live } = await enqueuedJobs();
    const delays = [0, 1, 2].map((attempt) => live.get(`${files.run}-admission-${attempt}`)?.delay);
    expect(delays).toEqual([undefined, 5_000, 20_000]);
  });

  it('is next by its age, after its wait, and before all measurements', async () => {
    const first = await requested();
    const second = await requested();
    const em = world.em;
    const next = async () => (await new RunRepository(em).next('evaluation', EVERYTHING))?.id;
    const others = await em.execute<{ id: string }[]>(`select id from run where state = 'queued'`);
    const own = new Set([first.run, second.run]);
    for (const { id } of others.filter((each) => !own.has(each.id))) await new RunRepository(em).cancel(id);

    expect(await next()).toBe(first.run);
    const lease = (await new RunLeases(world.em, 'me').claim(first.run, 'evaluation', 60))!;
    await postponeRun(lease);
    lease.close();
    expect(await next()).toBe(second.run);
    await em.execute(`update run set not_before = now() where id = ?`, [first.run]);
    expect(await next()).toBe(first.run);
    await em.nativeUpdate(Run, first.run, { purpose: 'measures', priority: RUN_PRIORITY.requested });
    expect(await next()).toBe(second.run);
    expect(await new RunRepository(em).next('admission', EVERYTHING)).toBeNull();
    expect(await new RunRepository(em).next('evaluation', { ...EVERYTHING, memoryBytes: 1 })).toBeNull();
  });

  it('is released without counting an attempt', async () => {
    const { run, model } = await requested();
    const lease = (await new RunLeases(world.em, 'me').claim(run, 'evaluation', 60))!;
    await releaseRun(lease);
    lease.close();

    expect(await world.runs(model)).toMatchObject([{ state: 'queued', attempts: 0, leaseOwner: null }]);
  });

  it('is taken back at once by the successor of a dead evaluator', async () => {
    const { run } = await requested();
    (await new RunLeases(world.em, 'successor').claim(run, 'evaluation', 60))!.close();
    const successor = new RunLeases(world.em, 'successor');

    expect(await successor.expirePredecessors()).toBe(1);

    const lease = await successor.claim(run, 'evaluation', 60);
    expect(lease).toMatchObject({ attempts: 1 });
    lease!.close();
  });

  describe('reconciled', () => {
    it('is enqueued again only if no job is live', async () => {
      const { run } = await requested({ kind: 'predictions' });
      const container = await requested();
      const jobs = new RecordedJobs();
      const reconciler = new Reconciler(world.em, jobs);

      await reconciler.reconcile();
      expect(jobs.live.get(`${run}-admission-0`)).toEqual({
        queue: 'predictions',
        payload: { runId: run, stage: 'admission' },
      });
      // evaluators find it in the database
      expect([...jobs.live.keys()].filter((id) => id.startsWith(container.run))).toEqual([]);
      expect(await reconciler.reconcile()).toMatchObject({ enqueued: 0 });
    });

    it('waits again after its lease expired, and fails after the third time', async () => {
      const { run, model } = await requested();
      const reconciler = new Reconciler(world.em, new RecordedJobs());
      const lose = async () => {
        (await new RunLeases(world.em, 'dead').claim(run, 'evaluation', 60))!.close();
        await expire(run);
        return reconciler.reconcile();
      };

      expect(await lose()).toMatchObject({ requeued: 1 });
      expect(await world.runs(model)).toMatchObject([{ state: 'queued', attempts: 1 }]);
      expect(await lose()).toMatchObject({ requeued: 1 });
      expect(await lose()).toMatchObject({ requeued: 0, failed: 1 });
      expect(await world.state(model)).toMatchObject({ state: 'failed', failure: { code: 'platform_failed' } });
    });

    it('fails when its deadline has passed, and its holder learns it', async () => {
      const { run, model } = await requested();
      const lease = (await new RunLeases(world.em, 'slow').claim(run, 'evaluation', -1))!;

      await new Reconciler(world.em, new RecordedJobs()).reconcile();

      expect(await world.state(model)).toMatchObject({ state: 'failed', failure: { code: 'deadline_passed' } });
      await lease.renew();
      expect(lease.signal.aborted).toBe(true);
      lease.close();
    });

    it('happens in one process at a time', async () => {
      const jobs = new RecordedJobs();
      const slow = new RecordedJobs();
      const goesOn = Promise.withResolvers<ReadonlySet<string>>();
      const isAsked = new Promise<void>((resolve) => {
        slow.liveIds = () => {
          resolve();
          return goesOn.promise;
        };
      });
      await requested({ kind: 'predictions' });
      const first = new Reconciler(world.em, slow).reconcile();
      await isAsked;

      const other = await world.otherProcess();
      expect(await new Reconciler(other.em, jobs).reconcile()).toBeNull();
      goesOn.resolve(new Set());
      expect(await first).not.toBeNull();
      await other.close();
    });

    it('has a board published whose job was lost, once it has been stale for a while', async () => {
      const { model } = await requested();
      const task = model.task.id;
      await world.transaction((em) => {
        markBoardStale(em, task);
        return Promise.resolve();
      });
      const jobs = new RecordedJobs();
      const boards = () => [...jobs.live].filter(([, { payload }]) => 'taskId' in payload && payload.taskId === task);
      await new Reconciler(world.em, jobs).reconcile();
      expect(boards()).toEqual([]);

      // the second time is what remains after a clock was set back
      for (const since of [`now() - interval '16 seconds'`, `now() + interval '1 hour'`]) {
        jobs.live.clear();
        await world.em.execute(`update stale_board set at = ${since} where task_id = ?`, [task]);
        await new Reconciler(world.em, jobs).reconcile();
        expect(boards()).toEqual([[`publish-again-${task}`, { queue: 'publish', payload: { taskId: task } }]]);
      }

      await new LeaderboardPublisher(new BenchmarksService()).publish(world.em, task);
      expect(await world.em.execute('select * from stale_board where task_id = ?', [task])).toEqual([]);
    });
  });

  it('of a predictions file becomes a job of a queue of its own, through the outbox or the reconciler', async () => {
    const { run } = await requested({ kind: 'predictions' });
    const job = { queue: 'predictions', payload: { runId: run, stage: 'admission' } };

    expect((await enqueuedJobs()).live.get(`${run}-admission-0`)).toEqual(job);
    const lost = new RecordedJobs();
    await new Reconciler(world.em, lost).reconcile();
    expect(lost.live.get(`${run}-admission-0`)).toEqual(job);
  });

  it('has its answers scored and its board published through the outbox', async () => {
    const { run, model } = await requested();
    const lease = (await new RunLeases(world.em, 'me').claim(run, 'evaluation', 60))!;
    const [cell] = await missingEvaluations(world.em, lease);
    await recordAnswers(lease, cell!.id, answers('a'));
    await finishRun(lease, { measures: null });
    lease.close();

    const jobs = await enqueuedJobs();

    const scored = [...jobs.live].filter(([, job]) => job.queue === 'answers');
    expect(scored.map(([, job]) => job.payload)).toContainEqual({ taskId: model.task.id, evaluationId: cell!.id });
    const published = [...jobs.live].filter(([, job]) => job.queue === 'publish');
    expect(published.map(([, job]) => job.payload)).toContainEqual({ taskId: model.task.id });
    expect(published[0]![0]).toMatch(/^publish-\d+$/);
  });
});
