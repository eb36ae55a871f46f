import { setTimeout as sleep } from 'node:timers/promises';
import type { QueueName } from '@assay/contracts/webhooks';
import {
  BoundedQueue,
  BullmqJobs,
  type QueueBackend,
  type QueueState,
  queueBackend,
  queueOptions,
  queueStates,
} from '@assay/jobs';
import { beforeAll, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { inFullForm } from '../factories/test-form.js';
import type { FaultyService, QueueBackendName } from './faulty-service.js';

type Stage = 'admission' | 'evaluation';

/** The queues whose jobs are runs. */
const RUN_QUEUES = ['predictions'] as const;

/** Registers the cases in which the queue repeats or loses jobs. */
export function queueFaults(queue: QueueBackendName, subject: () => FaultyService): void {
  let service: FaultyService;

  beforeAll(() => {
    service = subject();
  });

  it('may repeat a job fifty times before two workers take it', async () => {
    service.startBothWorkers();
    await pauseQueues();
    const id = await service.submitPredictions();
    await expectOneClaimMore(id, { stage: 'admission', fence: 0 }, 2);
  });

  inFullForm('may repeat the job of a run that waits to be evaluated fifty times', async () => {
    await service.stopBothWorkers();
    service.world.startWorker({ ASSAY_FAILPOINT: 'after-admission' });
    const id = await service.submitPredictions();
    await service.worker.ended;
    await pauseQueues();
    service.startBothWorkers();
    await expectOneClaimMore(id, { stage: 'evaluation', fence: 1 }, 2);
  });

  inFullForm(
    'may lose all it has, with 20 jobs that wait, 2 that are under way and a model that is asked',
    async () => {
      await service.startBothEvaluators();
      await pauseQueues();
      const asked = service.engineWatch.next({ action: 'start', role: 'model' });
      const container = await service.submitContainer('slow-from-the-start');
      const { ids, release } = await underWay(22, asked);
      expect(await service.runs(container)).toMatchObject([{ state: 'leased', stage: 'evaluation' }]);
      await wipe();
      await release();

      await service.untilScored([container, ...ids]);
      for (const id of [container, ...ids])
        expect(await service.runs(id)).toMatchObject([{ state: 'done', attempts: 0 }]);
      await service.expectInvariants();
    },
  );

  it('loses no job of a worker that receives SIGTERM while it scores', async () => {
    await service.stopBothWorkers();
    service.world.startWorker({ ASSAY_FAILPOINT: 'mid-score=2' });
    const id = await service.submitPredictions();
    await service.world.until(async () => (await jobsOf('answers')).active > 0, 60_000);

    await service.worker.stop();

    expect(await jobsOf('answers')).toMatchObject({ waiting: 0, active: 0, delayed: 0 });
    service.world.startWorker();
    await service.untilScored([id]);
    await service.expectInvariants();
  });

  if (queue === 'Redis') {
    it('may be killed, away for 20 seconds, and come back empty', async () => {
      const { ids, release } = await underWay(6);
      await service.redis!.kill();
      // a submission does not need Redis
      ids.push(await service.submitPredictions(), await service.submitPredictions());
      await release();
      // a worker that starts meanwhile cannot reconcile, and waits
      const late = service.world.startAnotherWorker('second');
      await sleep(20_000);
      await service.redis!.start();

      await service.untilScored(ids);
      expect(late.running).toBe(true);
      await service.expectInvariants();
    });

    // CI closes workers while Redis is unavailable in test/medium/jobs.spec.ts
    inFullForm('may be away when a worker that has jobs receives SIGTERM', async () => {
      const { ids, release } = await underWay(2);
      await service.redis!.stop();

      await service.worker.stop();

      expect(await service.worker.ended).not.toContain('SIGKILL');
      await service.redis!.start();
      service.world.startWorker();
      await release();
      await service.untilScored(ids);
      await service.expectInvariants();
    });

    it('may be full', async () => {
      const redis = new Redis(service.redis!.url);
      await redis.config('SET', 'maxmemory', '1');
      const ids = [await service.submitPredictions(), await service.submitPredictions()];
      await service.witness.when<{ attempts: number }>(
        'select attempts from outbox_event where delivered_at is null and attempts > 0',
        [],
        (waiting) => waiting.length > 0,
      );
      await redis.config('SET', 'maxmemory', '0');
      redis.disconnect();

      await service.untilScored(ids);
      await service.expectInvariants();
    });
  }

  /**
   * Submits `count` predictions files. One worker has two admissions under way, which are blocked
   * until `release` is called; the others wait in the queue.
   * @param asked Resolves when a model that was submitted before them receives requests.
   */
  async function underWay(count: number, asked?: Promise<unknown>) {
    await service.leaveOneWorker();
    await pauseQueues();
    const ids: string[] = [];
    for (let index = 0; index < count; index++) ids.push(await service.submitPredictions());
    const release = await service.witness.hold(await Promise.all(ids.map((id) => service.specification(id))));
    await resumeQueues();
    await asked;
    await service.witness.when<{ leased: number; waiting: number }>(
      `select (select count(*)::int from run where state = 'leased' and kind = 'predictions') as leased,
         (select count(*)::int from outbox_event where delivered_at is null) as waiting`,
      [],
      ([now]) => now!.leased === 2 && now!.waiting === 0,
    );
    return { ids, release };
  }

  /**
   * Enqueues the run fifty times while the queues are paused, then lets both workers compete for it.
   */
  async function expectOneClaimMore(
    id: string,
    before: { readonly stage: Stage; readonly fence: number },
    fence: number,
  ): Promise<void> {
    const [run] = await service.runs(id);
    expect(run).toMatchObject({ state: 'queued', ...before });
    // blocks the worker that claims the run, so that later jobs find it taken
    const release = await service.witness.hold([await service.specification(id)]);
    await enqueueRepeatedly(run!.id, before.stage, 50);
    await resumeQueues();
    await service.witness.when(
      'select id from run where id = $1 and state = $2',
      [run!.id, 'leased'],
      (all) => all.length > 0,
    );
    await service.world.until(async () => (await waitingJobs()) === 0, 60_000);
    await release();

    await service.untilScored([id]);
    await service.expectInvariants();
    expect(await service.runs(id)).toMatchObject([{ state: 'done', attempts: 0, fence }]);
  }

  /** Keeps all processes from taking jobs of runs until `resumeQueues`. */
  const pauseQueues = (): Promise<void> => withRunQueues((each) => each.pause());
  const resumeQueues = (): Promise<void> => withRunQueues((each) => each.resume());

  async function withRunQueues(use: (queue: BoundedQueue) => Promise<void>): Promise<void> {
    for (const name of RUN_QUEUES) {
      const opened = new BoundedQueue(name, queueOptions(backend()));
      await use(opened);
      await opened.close();
    }
  }

  async function enqueueRepeatedly(runId: string, stage: Stage, times: number): Promise<void> {
    const queues = RUN_QUEUES.map((name): [QueueName, BoundedQueue] => [
      name,
      new BoundedQueue(name, queueOptions(backend())),
    ]);
    const jobs = new BullmqJobs(new Map(queues));
    for (let time = 0; time < times; time++) {
      for (const name of RUN_QUEUES) await jobs.enqueue(name, { runId, stage }, { jobId: `${runId}-repeat-${time}` });
    }
    await jobs.close();
  }

  const jobsOf = async (queue: QueueName): Promise<QueueState> =>
    (await queueStates(backend())).find(({ name }) => name === queue)!;

  /** Returns the number of run jobs that no process has taken. */
  async function waitingJobs(): Promise<number> {
    const states = await queueStates(backend());
    const names: readonly QueueName[] = RUN_QUEUES;
    const ofRuns = states.filter(({ name }) => names.includes(name));
    return ofRuns.reduce((sum, { waiting }) => sum + waiting, 0);
  }

  const backend = (): QueueBackend => queueBackend(service.redis?.url, service.world.databaseUrl, 1);

  async function wipe(): Promise<void> {
    if (service.redis) {
      const redis = new Redis(service.redis.url);
      await redis.flushall();
      redis.disconnect();
      return;
    }
    const tables = await service.witness.rows<{ tablename: string }>(
      "select tablename from pg_tables where schemaname = 'bullmq' and (tablename like 'job%' or tablename like 'event%')",
    );
    for (const { tablename } of tables) await service.witness.rows(`truncate bullmq."${tablename}" cascade`);
  }
}
