import { randomUUID } from 'node:crypto';
import { QUEUES } from '@assay/contracts/webhooks';
import { BoundedQueue, BullmqJobs, queueBackend, queueOptions } from '@assay/jobs';
import { startRedis } from '../../factories/worlds/test-services.js';
import type { Bench, BenchContext, BenchRow } from '../bench.js';
import type { BenchService } from '../bench-service.js';
import { examplesFile } from '../examples-file.js';
import { openLoad, type OpenLoad } from '../http-load.js';
import { figure, quantile } from '../samples.js';
import { ScoredModels } from '../scored-models.js';

/** Requests per second. Each one enqueues a run. */
const RATE = 50;
/** The limit in milliseconds. */
const MOST = 50;
/**
 * Jobs that are read concurrently. On PostgreSQL each is a query, and more would queue for the one
 * connection.
 */
const PAGE = 200;
/** Warm-up requests at the same rate, because a freshly started process is slower. */
const FIRST = 400;
/** Jobs that are added one after the other once all runs are queued. */
const MORE = 1_000;

/**
 * Many queued runs: the time to enqueue one, from the request to the job, on PostgreSQL and on
 * Redis.
 */
export const queueLoad: Bench = {
  name: 'queue',
  async run(context) {
    const runs = context.quick ? 300 : 10_000;
    const service = await context.service();
    const { world } = service;
    const task = await service.task(await examplesFile(context.folder, 200, 'queue'));
    const board = await ScoredModels.open(world, task);
    try {
      await board.add(FIRST + runs);
      await board.stale();
      // waits until the work caused by the new dataset and models is finished
      await world.until(async () => (await board.revision()) > 0 && (await service.isAtRest()), 600_000);
      // a checkpoint now, so that their rows are not written to disk during the load
      await world.rows('checkpoint');
    } finally {
      await board.close();
    }
    const models = await world.rows<{ id: string }>(
      `select m.id from model m join task t on t.id = m.task_id where t.slug = $1 order by m.id`,
      [task],
    );
    const addresses = models.map(({ id }) => `${world.url}/api/v1/models/${id}/rerun?measures=true`);
    const redis = await startRedis();
    try {
      const rows = await queued(context, service, { name: 'PostgreSQL', addresses, redisUrl: undefined });
      return [...rows, ...(await queued(context, service, { name: 'Redis', addresses, redisUrl: redis.url }))];
    } finally {
      await world.stopWorker();
      world.startWorker();
      await redis.stop();
    }
  },
};

interface Backend {
  readonly name: string;
  readonly addresses: readonly string[];
  readonly redisUrl: string | undefined;
}

/**
 * Measures one backend. The worker relays to the queue as usual, but evaluators take no jobs because
 * the queue is paused, as an operator can do.
 */
async function queued(context: BenchContext, service: BenchService, backend: Backend): Promise<readonly BenchRow[]> {
  const { world } = service;
  const { name, addresses, redisUrl } = backend;
  await world.stopWorker();
  const options = queueOptions(queueBackend(redisUrl, world.databaseUrl, 1));
  const queues = new Map(QUEUES.map((queue) => [queue, new BoundedQueue(queue, options)]));
  const jobs = new BullmqJobs(queues);
  const run = queues.get('run')!;
  try {
    await run.waitUntilReady();
    await run.pause();
    world.startWorker(redisUrl === undefined ? {} : { REDIS_URL: redisUrl });
    const queueAll = async (some: readonly string[]): Promise<OpenLoad> => {
      const headers = { authorization: `Bearer ${world.admin}` };
      const plan = { addresses: some, rate: RATE, seconds: some.length / RATE, method: 'POST', headers } as const;
      const load = await openLoad(plan);
      await world.until(() => service.isAtRest(), 600_000);
      return load;
    };
    await queueAll(addresses.slice(0, FIRST));
    const first = await jobs.liveIds('run');
    const load = await queueAll(addresses.slice(FIRST));
    const { waiting } = await jobs.depth('run');
    const waits = await waitsOf(world, run, { waiting, without: first });
    const added = await timesOf(jobs);
    context.say(`  ${name}: ${load.count} runs queued after ${first.size}, ${JSON.stringify(load.statuses)}`);
    return rowsOf(`${figure(load.count)} runs queued at ${RATE}/s, on ${name}`, load, waits, added);
  } finally {
    await world.stopWorker();
    await run.resume();
    await run.obliterate({ force: true });
    await Promise.all([...queues.values()].map((queue) => queue.close()));
    await world.rows(`delete from run where state = 'queued' and purpose = 'measures'`);
  }
}

/**
 * Returns the milliseconds from the creation of each run's event to the creation of its job, by the
 * clocks of the database and the worker.
 */
async function waitsOf(
  world: BenchService['world'],
  queue: BoundedQueue,
  { waiting, without }: { readonly waiting: number; readonly without: ReadonlySet<string> },
): Promise<readonly number[]> {
  const written = await world.rows<{ job: string; at: number }>(
    `select concat_ws('-', payload ->> 'runId', payload ->> 'stage', payload ->> 'attempt') as job,
        (extract(epoch from created_at) * 1000)::float8 as at
       from outbox_event where type = 'run.requested'`,
  );
  const at = new Map(written.filter(({ job }) => !without.has(job)).map((each) => [each.job, each.at]));
  const waits: number[] = [];
  for (let from = 0; from < waiting; from += PAGE) {
    const jobs = await queue.getWaiting(from, from + PAGE - 1);
    waits.push(...jobs.flatMap(({ id, timestamp }) => (at.has(id!) ? [timestamp - at.get(id!)!] : [])));
  }
  return waits;
}

/**
 * Returns the milliseconds that each of `MORE` further jobs takes to enqueue, one after the other,
 * on top of the queued ones.
 */
async function timesOf(jobs: BullmqJobs): Promise<readonly number[]> {
  const times: number[] = [];
  for (let index = 0; index < MORE; index++) {
    const runId = randomUUID();
    const started = performance.now();
    await jobs.enqueue('run', { runId }, { jobId: `${runId}-evaluation-0` });
    times.push(performance.now() - started);
  }
  return times;
}

function rowsOf(what: string, load: OpenLoad, waits: readonly number[], added: readonly number[]): BenchRow[] {
  const row = (of: string, values: readonly number[], whole: boolean): BenchRow => {
    const [p50, p99] = [quantile(values, 0.5), quantile(values, 0.99)];
    return {
      what: `${what}: ${of}, p99`,
      goal: `≤ ${MOST} ms`,
      measured: `${figure(p99)} ms (p50 ${figure(p50)}, at most ${figure(quantile(values, 1))}; ${values.length} of them)`,
      reached: p99 <= MOST && whole,
      figures: { p50Milliseconds: p50, p99Milliseconds: p99, count: values.length },
    };
  };
  const accepted = load.statuses['202'] ?? 0;
  return [
    {
      what: `${what}: the request that queues one (${accepted} of ${load.count} accepted), p99`,
      goal: `≤ ${MOST} ms`,
      measured: `${figure(load.p99)} ms (p50 ${figure(load.p50)}, at most ${figure(load.most)})`,
      reached: load.p99 <= MOST && accepted === load.count,
      figures: { p50Milliseconds: load.p50, p99Milliseconds: load.p99, statuses: load.statuses },
    },
    row('from its transaction to its job', waits, waits.length === load.count),
    row('a job added to all of them', added, true),
  ];
}
