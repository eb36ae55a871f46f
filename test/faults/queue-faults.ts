import { setTimeout as sleep } from 'node:timers/promises';
import type { QueueName } from '@assay/contracts/webhooks';
import { BoundedQueue, BullmqJobs, type QueueBackend, queueBackend, queueOptions, queueStates } from '@assay/jobs';
import { beforeAll, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { inFullForm } from '../factories/test-form.js';
import type { FaultyService, QueueBackendName } from './faulty-service.js';

/** The queues whose jobs are runs. */
const RUN_QUEUES = ['admission', 'run'] as const;

/** Registers the cases in which the queue repeats or loses jobs. */
export function queueFaults(queue: QueueBackendName, subject: () => FaultyService): void {
  let service: FaultyService;

  beforeAll(() => {
    service = subject();
  });

  it('may repeat a job fifty times before two evaluators take it', async () => {
    service.startBothEvaluators();
    await pauseQueues();
    const id = await service.submitPredictions();
    await expectOneClaimMore(id, { stage: 'admission', fence: 0 }, 2);
  });

  inFullForm('may repeat the job of a run that waits to be evaluated fifty times', async () => {
    await service.stopBothEvaluators();
    service.world.startEvaluator({ ASSAY_FAILPOINT: 'after-admission' });
    const id = await service.submitPredictions();
    await service.evaluator.ended;
    await pauseQueues();
    service.startBothEvaluators();
    await expectOneClaimMore(id, { stage: 'evaluation', fence: 1 }, 2);
  });

  inFullForm(
    'may lose all it has, with 20 jobs that wait, 2 that are under way and a model that is asked',
    async () => {
      service.startBothEvaluators();
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

  if (queue === 'Redis') {
    it('may be killed, away for 20 seconds, and come back empty', async () => {
      const { ids, release } = await underWay(6);
      await service.redis!.kill();
      // a submission does not need Redis
      ids.push(await service.submitPredictions(), await service.submitPredictions());
      await release();
      // an evaluator that starts meanwhile cannot reconcile, and waits
      await service.kill(service.world.another('second')!);
      const late = service.world.startAnother('second');
      await sleep(20_000);
      await service.redis!.start();

      await service.untilScored(ids);
      expect(late.running).toBe(true);
      await service.expectInvariants();
    });

    // CI closes workers while Redis is unavailable in test/medium/jobs.spec.ts
    inFullForm('may be away when an evaluator that has a job receives SIGTERM', async () => {
      const { ids, release } = await underWay(2);
      await service.redis!.stop();

      const second = service.world.another('second')!;
      await second.stop();

      expect(await second.ended).not.toContain('SIGKILL');
      await service.redis!.start();
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
   * Submits `count` models and starts two evaluators. Each evaluator has one admission under way,
   * which is blocked until `release` is called; the others wait in the queue.
   * @param asked Resolves when a model that was submitted before them receives requests.
   */
  async function underWay(count: number, asked?: Promise<unknown>) {
    service.startBothEvaluators();
    await pauseQueues();
    const ids: string[] = [];
    for (let index = 0; index < count; index++) ids.push(await service.submitPredictions());
    const release = await service.witness.hold(await Promise.all(ids.map((id) => service.specification(id))));
    await resumeQueues();
    await asked;
    await service.witness.when<{ leased: number; waiting: number }>(
      `select (select count(*)::int from run where state = 'leased' and stage = 'admission') as leased,
         (select count(*)::int from outbox_event where delivered_at is null) as waiting`,
      [],
      ([now]) => now!.leased === 2 && now!.waiting === 0,
    );
    return { ids, release };
  }

  /**
   * Enqueues the run fifty times while the queues are paused, then lets both evaluators compete for
   * it, each with eight concurrent jobs.
   */
  async function expectOneClaimMore(
    id: string,
    before: { readonly stage: string; readonly fence: number },
    fence: number,
  ): Promise<void> {
    const [run] = await service.runs(id);
    expect(run).toMatchObject({ state: 'queued', ...before });
    // blocks the evaluator that claims the run, so that later jobs find it taken
    const release = await service.witness.hold([await service.specification(id)]);
    await enqueueRepeatedly(run!.id, 50);
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

  /** Keeps evaluators from taking jobs of runs until `resumeQueues`. */
  const pauseQueues = (): Promise<void> => withRunQueues((each) => each.pause());
  const resumeQueues = (): Promise<void> => withRunQueues((each) => each.resume());

  async function withRunQueues(use: (queue: BoundedQueue) => Promise<void>): Promise<void> {
    for (const name of RUN_QUEUES) {
      const opened = new BoundedQueue(name, queueOptions(backend()));
      await use(opened);
      await opened.close();
    }
  }

  async function enqueueRepeatedly(runId: string, times: number): Promise<void> {
    const queues = RUN_QUEUES.map((name): [QueueName, BoundedQueue] => [
      name,
      new BoundedQueue(name, queueOptions(backend())),
    ]);
    const jobs = new BullmqJobs(new Map(queues));
    for (let time = 0; time < times; time++) {
      for (const name of RUN_QUEUES) await jobs.enqueue(name, { runId }, { jobId: `${runId}-repeat-${time}` });
    }
    await jobs.close();
  }

  /** Returns the number of run jobs that no evaluator has taken. */
  async function waitingJobs(): Promise<number> {
    const states = await queueStates(backend());
    const ofRuns = states.filter(({ name }) => name === 'admission' || name === 'run');
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
