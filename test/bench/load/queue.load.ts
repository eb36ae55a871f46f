import type { Bench, BenchRow } from '../bench.js';
import { examplesFile } from '../examples-file.js';
import { openLoad, type OpenLoad } from '../http-load.js';
import { figure, quantile } from '../samples.js';
import { ScoredModels } from '../scored-models.js';

/** Requests per second. Each one queues a run. */
const RATE = 50;
/** The limit in milliseconds. */
const MOST = 50;
/** Warm-up requests at the same rate, because a freshly started process is slower. */
const FIRST = 400;
/** Runs that are leased one after the other once all are queued. */
const LEASED = 1_000;

const HOST = { architecture: 'amd64', cpus: 64, memoryBytes: 2 ** 40, runtimes: ['runc', 'runsc'] };

/** Many queued runs: the request that queues one, and the request of an evaluator that leases one of them. */
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
    const queueAll = (some: readonly string[]): Promise<OpenLoad> => {
      const headers = { authorization: `Bearer ${world.admin}` };
      return openLoad({ addresses: some, rate: RATE, seconds: some.length / RATE, method: 'POST', headers });
    };
    await world.stopEvaluator();
    try {
      await queueAll(addresses.slice(0, FIRST));
      const load = await queueAll(addresses.slice(FIRST));
      const leases = await leaseTimes(world, Math.min(LEASED, runs));
      context.say(`  ${load.count} runs queued after ${FIRST}, ${JSON.stringify(load.statuses)}`);
      return rowsOf(`${figure(load.count)} runs queued at ${RATE}/s`, load, leases);
    } finally {
      await world.rows(`delete from run where state = 'queued' and purpose = 'measures'`);
      await world.startEvaluator();
    }
  },
};

type World = Awaited<ReturnType<Parameters<Bench['run']>[0]['service']>>['world'];

/** Returns the milliseconds that each of `count` leases takes. Each leased run is put off. */
async function leaseTimes(world: World, count: number): Promise<readonly number[]> {
  const { body } = await world.expect(201, 'POST', '/evaluators', { token: world.admin, body: { name: 'queue-load' } });
  const token = body.token as string;
  const presence = { protocol: 2, version: '0.1.0', host: HOST, slots: 1 };
  const times: number[] = [];
  for (let index = 0; index < count; index++) {
    await world.expect(200, 'PUT', '/evaluator/presence', { token, body: presence });
    const started = performance.now();
    const request = { protocol: 2, stage: 'evaluation', waitSeconds: 0 };
    const leased = await world.expect(200, 'POST', '/evaluator/leases', { token, body: request });
    times.push(performance.now() - started);
    const { run, fence } = leased.body.run.assignment as { run: string; fence: number };
    const path = `/evaluator/runs/${run}/outcome?fence=${fence}`;
    await world.expect(204, 'POST', path, { token, body: { kind: 'postponed' } });
  }
  return times;
}

function rowsOf(what: string, load: OpenLoad, leases: readonly number[]): BenchRow[] {
  const accepted = load.statuses['202'] ?? 0;
  const [p50, p99] = [quantile(leases, 0.5), quantile(leases, 0.99)];
  return [
    {
      what: `${what}: the request that queues one (${accepted} of ${load.count} accepted), p99`,
      goal: `≤ ${MOST} ms`,
      measured: `${figure(load.p99)} ms (p50 ${figure(load.p50)}, at most ${figure(load.most)})`,
      reached: load.p99 <= MOST && accepted === load.count,
      figures: { p50Milliseconds: load.p50, p99Milliseconds: load.p99, statuses: load.statuses },
    },
    {
      what: `${what}: the request that leases one, p99`,
      goal: `≤ ${MOST} ms`,
      measured: `${figure(p99)} ms (p50 ${figure(p50)}, at most ${figure(quantile(leases, 1))}; ${leases.length} of them)`,
      reached: p99 <= MOST,
      figures: { p50Milliseconds: p50, p99Milliseconds: p99, count: leases.length },
    },
  ];
}
