import { setTimeout as sleep } from 'node:timers/promises';
import { QUEUES, type QueueName } from '@assay/contracts/webhooks';
import { enqueueScores } from '@assay/evaluation/evaluations';
import {
  BoundedQueue,
  BoundedWorker,
  BullmqJobs,
  type Jobs,
  JobsModule,
  Jobs as JobsToken,
  JobsUnavailable,
  limitQueueTimes,
  type QueueBackend,
  queueOptions,
  queueStates,
} from '@assay/jobs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Processor, WorkerHost } from '@nestjs/bullmq';
import { Test } from '@nestjs/testing';
import { DelayedError, type Job, UnrecoverableError, type WorkerOptions } from 'bullmq';
import pg from 'pg';
import { migratedDatabase } from '../factories/worlds/migrated-database.js';
import { startRedis, type TestRedis } from '../factories/worlds/test-services.js';
import { until } from '../factories/until.js';

interface Place {
  readonly backend: QueueBackend;
  /** Returns the number of open connections to the queue's back end. */
  readonly connections: () => Promise<number>;
  /** Removes all data from the back end. */
  readonly wipe: () => Promise<void>;
  readonly end: () => Promise<void>;
}

/** Registers the tests that the queue must pass on each back end. */
function jobsContract(name: string, makePlace: () => Promise<Place>): void {
  describe(`jobs on ${name}`, () => {
    let place: Place;
    let queue: BoundedQueue;
    let jobs: Jobs;
    const workers: BoundedWorker[] = [];

    beforeAll(async () => {
      place = await makePlace();
      openQueue();
    });

    afterEach(async () => {
      await Promise.all(workers.splice(0).map((worker) => worker.close()));
      await place.wipe();
    });

    afterAll(async () => {
      await jobs.close();
      await place.end();
    });

    function openQueue(): void {
      queue = new BoundedQueue('publish', {
        ...queueOptions(place.backend),
        defaultJobOptions: {
          ...queueOptions(place.backend).defaultJobOptions,
          backoff: { type: 'fixed', delay: 50 },
        },
      });
      jobs = new BullmqJobs(new Map<QueueName, BoundedQueue>([['publish', queue]]));
    }

    function work(
      process: (job: Job, token?: string) => void | Promise<void>,
      options: Partial<WorkerOptions> = {},
    ): BoundedWorker {
      const worker = new BoundedWorker('publish', async (job, token) => process(job, token), {
        connection: queueOptions(place.backend).connection,
        ...options,
      });
      workers.push(worker);
      return worker;
    }

    const enqueue = (jobId: string): Promise<void> => jobs.enqueue('publish', { taskId: `of-${jobId}` }, { jobId });

    it('delivers a job once, with its payload, and forgets it', async () => {
      const got: unknown[] = [];
      work((job) => {
        got.push([job.name, job.id, job.data]);
      });

      await enqueue('r-1');
      await until(async () => got.length > 0 && !(await jobs.isLive('publish', 'r-1')));
      await sleep(100);

      expect(got).toEqual([['publish', 'r-1', { taskId: 'of-r-1' }]]);
    });

    it('delivers a job that was there before any worker was', async () => {
      await enqueue('early-1');
      expect(await jobs.isLive('publish', 'early-1')).toBe(true);
      expect(await jobs.depth('publish')).toEqual({ waiting: 1, active: 0 });

      const got: string[] = [];
      work((job) => {
        got.push(job.id!);
      });

      await until(() => got.includes('early-1'));
    });

    it('says how all queues stand to a process that works on none of them, and keeps no connection', async () => {
      await enqueue('first-1');
      const between = Date.now();
      await until(() => Date.now() > between);
      await enqueue('second-1');
      expect(await jobs.liveIds('publish')).toEqual(new Set(['first-1', 'second-1']));
      const before = await place.connections();

      const states = await queueStates(place.backend);

      expect(states.map(({ name }) => name)).toEqual([...QUEUES]);
      const [state] = states.filter(({ name }) => name === 'publish');
      expect(state).toMatchObject({ waiting: 2, active: 0, delayed: 0, failed: 0 });
      expect(state!.oldestWaiting!.getTime()).toBeLessThanOrEqual(between);
      const others = states.filter(({ name }) => name !== 'publish');
      expect(others.every(({ waiting, oldestWaiting }) => waiting === 0 && oldestWaiting === null)).toBe(true);
      await until(async () => (await place.connections()) <= before);
    });

    it('counts what waits in a queue that somebody paused', async () => {
      await queue.pause();
      try {
        await enqueue('held-1');
        await enqueue('held-2');

        expect(await jobs.depth('publish')).toEqual({ waiting: 2, active: 0 });
        const [state] = (await queueStates(place.backend)).filter(({ name }) => name === 'publish');
        expect(state).toMatchObject({ waiting: 2, active: 0 });
        expect(state!.oldestWaiting).toEqual(new Date((await queue.getJob('held-1'))!.timestamp));
      } finally {
        await queue.resume();
      }
    });

    it('takes the same id for the same job while it waits and while it runs', async () => {
      let runs = 0;
      let release = (): void => undefined;
      await enqueue('same-1');
      await enqueue('same-1');
      work(async () => {
        runs++;
        await new Promise<void>((resolve) => (release = resolve));
      });
      await until(() => runs === 1);

      await enqueue('same-1');
      expect(await jobs.isLive('publish', 'same-1')).toBe(true);
      expect(await jobs.liveIds('publish')).toEqual(new Set(['same-1']));
      expect(await jobs.depth('publish')).toEqual({ waiting: 0, active: 1 });
      release();

      await until(async () => !(await jobs.isLive('publish', 'same-1')));
      await sleep(100);
      expect(runs).toBe(1);
    });

    it('runs an id again once it is done', async () => {
      let runs = 0;
      work(() => {
        runs++;
      });
      await enqueue('again-1');
      await until(async () => runs === 1 && !(await jobs.isLive('publish', 'again-1')));

      await enqueue('again-1');

      await until(() => runs === 2);
    });

    it('tries a job again that failed, and forgets it when it has failed for good', async () => {
      let tries = 0;
      work(() => {
        tries++;
        throw new Error('the database is away');
      });
      await enqueue('fails-1');
      await until(async () => !(await jobs.isLive('publish', 'fails-1')));
      expect(tries).toBe(3);

      await enqueue('fails-1');

      await until(() => tries > 3);
    });

    it('does a job later that its worker puts off, which is no failure of it', async () => {
      const times: number[] = [];
      work(async (job, token) => {
        times.push(performance.now());
        if (times.length > 10) return;
        await job.moveToDelayed(Date.now() + 50, token);
        throw new DelayedError();
      });

      await enqueue('r-1');
      await until(async () => times.length > 10 && !(await jobs.isLive('publish', 'r-1')));

      expect(times[10]! - times[0]!).toBeGreaterThanOrEqual(495);
    });

    it('gives a job to nobody before its time, and counts it as live until then', async () => {
      const got: number[] = [];
      work(() => void got.push(performance.now()));
      const added = performance.now();

      await jobs.enqueue('publish', { taskId: 'late' }, { jobId: 'late-1', delay: 500 });
      expect(await jobs.isLive('publish', 'late-1')).toBe(true);
      expect(await jobs.liveIds('publish')).toEqual(new Set(['late-1']));
      await enqueue('late-1');
      await until(() => got.length > 0);

      expect(got[0]! - added).toBeGreaterThanOrEqual(495);
    });

    it('does not try a job again that says it is beyond help', async () => {
      let tries = 0;
      work(() => {
        tries++;
        throw new UnrecoverableError('refused');
      });

      await enqueue('hopeless-1');
      await until(async () => tries > 0 && !(await jobs.isLive('publish', 'hopeless-1')));
      await sleep(200);

      expect(tries).toBe(1);
    });

    it('shares the jobs among the workers', async () => {
      const got: string[] = [];
      const takers = new Set<number>();
      for (const taker of [0, 1]) {
        work(async (job) => {
          takers.add(taker);
          got.push(job.id!);
          await until(() => takers.size === 2);
        });
      }

      const ids = Array.from({ length: 20 }, (_, index) => `shared-${index}`);
      await Promise.all(ids.map(enqueue));
      await until(() => got.length >= 20);
      await sleep(100);

      expect([...got].sort()).toEqual([...ids].sort());
      expect(takers.size).toBe(2);
    });

    it('leaves a job that was under way when its worker closed to nobody else', async () => {
      let done = 0;
      let started = false;
      const worker = work(async () => {
        started = true;
        await sleep(300);
        done++;
      });
      await enqueue('closing-1');
      await until(() => started);

      await worker.close();

      expect(done).toBe(1);
      expect(await jobs.isLive('publish', 'closing-1')).toBe(false);
    });

    it('has a job of every queue, and scores a task in one job at a time', async () => {
      const opened = new Map(QUEUES.map((name) => [name, new BoundedQueue(name, queueOptions(place.backend))]));
      const all = new BullmqJobs(opened);
      const got: unknown[] = [];
      let release = (): void => undefined;
      const scorer = new BoundedWorker(
        'score',
        async (job) => {
          got.push([job.id, job.data]);
          await new Promise<void>((resolve) => (release = resolve));
        },
        { connection: queueOptions(place.backend).connection },
      );
      workers.push(scorer);

      expect(await enqueueScores(all, 'one')).toBe(true);
      await until(() => got.length === 1);
      expect(await enqueueScores(all, 'one')).toBe(false);
      expect(await enqueueScores(all, 'two')).toBe(true);
      expect(await all.depth('score')).toEqual({ waiting: 1, active: 1 });
      for (const other of ['predictions', 'publish'] as const) {
        expect(await all.depth(other)).toEqual({ waiting: 0, active: 0 });
      }
      release();
      await until(() => got.length === 2);
      release();
      await until(async () => !(await all.isLive('score', 'score-two')));

      expect(got).toEqual([
        ['score-one', { taskId: 'one' }],
        ['score-two', { taskId: 'two' }],
      ]);
      // a finished job does not prevent another one for the same task
      expect(await enqueueScores(all, 'one')).toBe(true);
      await until(() => got.length === 3);
      release();
      await until(async () => !(await all.isLive('score', 'score-one')));
      await all.close();
    });

    it('refuses an id that the back end would misread', async () => {
      await expect(enqueue('run:1')).rejects.toThrow(RangeError);
      await expect(enqueue('17')).rejects.toThrow(RangeError);
      await expect(enqueue('')).rejects.toThrow(RangeError);
    });

    it('leaves no connection behind when closed', async () => {
      await Promise.all(workers.splice(0).map((worker) => worker.close()));
      await jobs.close();
      await until(async () => (await place.connections()) === 0, 5000);
      openQueue();
      work(() => Promise.resolve());
      await enqueue('open-1');
      expect(await place.connections()).toBeGreaterThan(0);

      await Promise.all(workers.splice(0).map((worker) => worker.close()));
      await jobs.close();

      await until(async () => (await place.connections()) === 0, 5000);
      openQueue();
    });

    it('serves an app of Nest: the port for one side, a processor for the other', async () => {
      const got: unknown[] = [];
      @Processor('publish' satisfies QueueName)
      class RunProcessor extends WorkerHost {
        override process(job: Job): Promise<void> {
          got.push(job.data);
          return Promise.resolve();
        }
      }
      const app = await Test.createTestingModule({
        imports: [
          JobsModule.forRoot(
            place.backend.kind === 'redis'
              ? { redisUrl: place.backend.url, databaseUrl: 'postgresql://nowhere' }
              : { databaseUrl: place.backend.url },
          ),
        ],
        providers: [RunProcessor],
      }).compile();
      await app.init();

      await app.get<Jobs>(JobsToken).enqueue('publish', { taskId: 'nest' }, { jobId: 'nest-1' });
      await until(() => got.length === 1);
      await app.close();

      expect(got).toEqual([{ taskId: 'nest' }]);
    });
  });
}

jobsContract('PostgreSQL', async () => {
  const database = await migratedDatabase();
  const admin = new pg.Client({ connectionString: database.url });
  await admin.connect();
  const rows = async (sql: string): Promise<Record<string, unknown>[]> => (await admin.query(sql)).rows as never;
  return {
    backend: { kind: 'postgres', url: database.applicationUrl, connections: 1 },
    connections: async () =>
      (await rows('select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()'))
        .length,
    wipe: async () => {
      const tables = await rows(
        "select tablename from pg_tables where schemaname = 'bullmq' and tablename like 'job%' or tablename like 'event%'",
      );
      for (const { tablename } of tables) await admin.query(`truncate bullmq."${String(tablename)}" cascade`);
    },
    end: async () => {
      await admin.end();
      await database.drop();
    },
  };
});

jobsContract('Redis', async () => {
  const redis = await startRedis();
  const { Redis } = await import('ioredis');
  const admin = new Redis(redis.url);
  return {
    backend: { kind: 'redis', url: redis.url },
    connections: async () => {
      const clients = (await admin.client('LIST')) as string;
      return clients.trim().split('\n').length - 1;
    },
    wipe: async () => {
      await admin.flushall();
    },
    end: async () => {
      admin.disconnect();
      await redis.stop();
    },
  };
});

describe('jobs on PostgreSQL after a worker whose clock is ahead', () => {
  it('are given to another worker once their lock ends by the clock of the database', async () => {
    const database = await migratedDatabase();
    const client = new pg.Client({ connectionString: database.applicationUrl });
    await client.connect();
    const options = queueOptions({ kind: 'postgres', url: database.applicationUrl, connections: 1 });
    const queue = new BoundedQueue('publish', options);
    const gone = new BoundedWorker('publish', null, { connection: options.connection });
    const got: string[] = [];
    let worker: BoundedWorker | null = null;
    try {
      await queue.add('publish', {}, { jobId: 'stuck-1' });
      expect(await gone.getNextJob('lost')).toMatchObject({ id: 'stuck-1' });
      const anHourAhead = Date.now() + 3_600_000;
      await client.query(
        `insert into bullmq.meta (queue, field, value) values ('publish', 'stalled-check', $1)
          on conflict (queue, field) do update set value = excluded.value`,
        [anHourAhead],
      );
      await client.query('update bullmq.job set locked_until_ms = $1', [anHourAhead]);

      await limitQueueTimes({ execute: (text, values) => client.query(numbered(text), [...values]) });

      const { rows } = await client.query<{ ends: string }>('select locked_until_ms as ends from bullmq.job');
      expect(Math.abs(Number(rows[0]!.ends) - Date.now() - 60_000)).toBeLessThan(30_000);
      await client.query('update bullmq.job set locked_until_ms = 1');
      const process = (job: Job) => Promise.resolve(void got.push(job.id!));
      worker = new BoundedWorker('publish', process, { connection: options.connection, stalledInterval: 50 });
      await until(() => got.includes('stuck-1'));
    } finally {
      await Promise.all([gone.close(), worker?.close(), queue.close()]);
      await client.end();
      await database.drop();
    }
  });

  /** Replaces MikroORM's placeholders by those of PostgreSQL. */
  function numbered(text: string): string {
    let number = 0;
    return text.replaceAll('?', () => `$${++number}`);
  }
});

describe('jobs while Redis is away', () => {
  let redis: TestRedis;
  let jobs: Jobs;
  let worker: BoundedWorker;
  const got: string[] = [];

  beforeAll(async () => {
    redis = await startRedis();
    const options = queueOptions({ kind: 'redis', url: redis.url });
    jobs = new BullmqJobs(new Map<QueueName, BoundedQueue>([['publish', new BoundedQueue('publish', options)]]));
    worker = new BoundedWorker('publish', (job) => Promise.resolve(got.push(job.id!)), options);
  });

  afterAll(async () => {
    await Promise.all([worker.close(), jobs.close()]);
    await redis.stop();
  });

  const enqueue = (jobId: string): Promise<void> => jobs.enqueue('publish', { taskId: jobId }, { jobId });

  it('says so in time, and continues once it is back', async () => {
    await enqueue('before-1');
    await until(() => got.includes('before-1'));
    await redis.stop();

    const started = Date.now();
    await expect(enqueue('during-1')).rejects.toBeInstanceOf(JobsUnavailable);
    await expect(jobs.isLive('publish', 'before-1')).rejects.toBeInstanceOf(JobsUnavailable);
    expect(Date.now() - started).toBeLessThan(5000);

    await redis.start();
    await until(() =>
      enqueue('after-1').then(
        () => true,
        () => false,
      ),
    );
    await until(() => got.includes('after-1'));
  });

  it('begins while it is away, and works once it is there', async () => {
    await redis.stop();
    const options = queueOptions({ kind: 'redis', url: redis.url });
    const late = new BullmqJobs(new Map<QueueName, BoundedQueue>([['publish', new BoundedQueue('publish', options)]]));
    await expect(late.enqueue('publish', { taskId: 'x' }, { jobId: 'late-1' })).rejects.toBeInstanceOf(JobsUnavailable);

    await redis.start();
    await until(() =>
      late.enqueue('publish', { taskId: 'x' }, { jobId: 'late-2' }).then(
        () => true,
        () => false,
      ),
    );

    await until(() => got.includes('late-2'));
    await late.close();
  });

  it('closes in time while it is away', async () => {
    const options = queueOptions({ kind: 'redis', url: redis.url });
    const other = new BullmqJobs(new Map<QueueName, BoundedQueue>([['publish', new BoundedQueue('publish', options)]]));
    const idle = new BoundedWorker('publish', () => Promise.resolve(), { connection: options.connection });
    await other.enqueue('publish', { taskId: 'x' }, { jobId: 'last-1' });
    await until(async () => !(await other.isLive('publish', 'last-1')));
    await redis.stop();

    const started = Date.now();
    await Promise.all([other.close(), idle.close()]);

    expect(Date.now() - started).toBeLessThan(6000);
  });
});
