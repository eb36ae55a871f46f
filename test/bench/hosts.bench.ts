import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { RegisteredEvaluators } from '@assay/contracts/evaluators';
import type { SupervisedProcess } from '../../scripts/services/supervised-process.js';
import { RemoteHosts } from '../faults/remote-hosts.js';
import { canSeparateHosts } from '../faults/separate-host.js';
import type { Bench } from './bench.js';
import { examplesFile } from './examples-file.js';
import { timesOf } from './model-times.js';
import { figure, inTurn, median, range, ratios } from './samples.js';
import { nullImage } from './submissions.js';

const EXAMPLES = 1_000;
const READY_MILLISECONDS = 600_000;

/**
 * Evaluators on two hosts against one on one of them. The model waits and hardly uses the processor, because
 * the hosts share the cores of this machine: this measures how runs are distributed.
 */
export const hostsBench: Bench = {
  name: 'hosts',
  async run(context) {
    if (!canSeparateHosts()) throw new Error('two hosts need root, ip, nsenter, openssl and dockerd');
    const { quick, rounds, say } = context;
    const { world } = await context.service();
    const task = await (
      await context.service()
    ).task(await examplesFile(context.folder, EXAMPLES, 'hosts'), {}, 'public');
    const image = await nullImage(context.folder, 'constant', 'hosts', { WAIT: '50' });
    const folder = join(context.folder, 'hosts');
    mkdirSync(folder);
    const running: SupervisedProcess[] = [];
    let submitted = 0;

    await world.stopEvaluator();
    const remote = await RemoteHosts.start(folder, 2);
    try {
      await remote.connect(world);
      const database = remote.connections(Number(new URL(world.databaseUrl).port));
      if (database.includes('open')) throw new Error('a host reaches the database');
      say(`  connections from the hosts to PostgreSQL: ${[...new Set(database)].join(', ')}`);
      for (const place of [0, 1]) {
        await use([place]);
        // each host builds the image before the clock starts
        await perMinute(1);
      }
      const runs = quick ? 6 : 16;
      const { one, two } = await inTurn(context, rounds ?? (quick ? 1 : 3), 'runs a minute', {
        one: () => use([0]).then(() => perMinute(runs)),
        two: () => use([0, 1]).then(() => perMinute(runs)),
      });
      const ratio = ratios(two, one);
      return [
        {
          what: `two hosts ÷ one, each with one slot: runs a minute of a model that waits 50 ms a batch, ${runs} runs`,
          goal: '≥ 1.8',
          measured: `${figure(median(ratio))} (${range(ratio)}; ${figure(median(two))} against ${figure(median(one))} a minute)`,
          reached: median(ratio) >= 1.8,
        },
      ];
    } finally {
      await stopAll();
      await remote.close();
      await world.startEvaluator();
    }

    /** Runs evaluators on exactly these hosts, and waits until they have reported. */
    async function use(places: readonly number[]): Promise<void> {
      await stopAll();
      const since = Date.now();
      for (const place of places) {
        running.push(await remote.startEvaluator(world, `host-${place}`, place, { ASSAY_RUN_CONCURRENCY: '1' }));
      }
      await world.until(async () => {
        const { body } = await world.expect(200, 'GET', '/evaluators', { token: world.admin });
        const ready = (body as RegisteredEvaluators).items.filter(
          ({ lastSeenAt, problem }) => problem === null && lastSeenAt !== null && Date.parse(lastSeenAt) > since,
        );
        return ready.length === places.length;
      }, READY_MILLISECONDS);
    }

    async function stopAll(): Promise<void> {
      await Promise.all(running.splice(0).map((evaluator) => evaluator.stop()));
    }

    /** Queues runs, and returns how many end in a minute, from the start of the first to the end of the last. */
    async function perMinute(count: number): Promise<number> {
      const ids: string[] = [];
      for (let run = 0; run < count; run++) {
        const command = [String(++submitted)];
        ids.push(await world.submit(task, { name: `run ${submitted}`, kind: 'container', command }, image));
      }
      const times = await timesOf(await context.service(), ids);
      const first = Math.min(...times.map(({ started }) => started!));
      return (60 * count) / (Math.max(...times.map(({ ended }) => ended)) - first);
    }
  },
};
