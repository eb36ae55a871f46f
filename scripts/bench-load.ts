import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem } from 'node:os';
import type { Bench } from '../test/bench/bench.js';
import { boardBench } from '../test/bench/board.bench.js';
import { listenersBench } from '../test/bench/listeners.bench.js';
import { readsLoad } from '../test/bench/load/reads.load.js';
import { queueLoad } from '../test/bench/load/queue.load.js';
import { soakLoad } from '../test/bench/load/soak.load.js';
import { uploadsLoad } from '../test/bench/load/uploads.load.js';
import { machine, measure, type Measured, tableOf } from '../test/bench/run-benches.js';
import { build } from './build.js';
import { commandLine, refuseUsage } from './command-line.js';

const loads: readonly Bench[] = [
  readsLoad,
  uploadsLoad,
  queueLoad,
  { ...boardBench, name: 'boards' },
  listenersBench,
  soakLoad,
];

const usage = `Usage: npm run bench:load [-- [--quick] [--rounds N] [--minutes N] [--json FILE] [NAME ...]]

Puts the whole service under load, and reports for each requirement whether it is met. Names: ${loads.map(({ name }) => name).join(', ')}; default: all.

  --quick      small sizes, to see that a load works
  --rounds N   how often each is measured
  --minutes N  how long the soak lasts (30)
  --picture FILE  draws the soak there (SVG)
  --json FILE  writes the figures and the conditions there too`;

async function main(): Promise<number> {
  const { values, positionals } = commandLine(usage, {
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    minutes: { type: 'string' },
    json: { type: 'string' },
    picture: { type: 'string' },
  });
  const [rounds, minutes] = [numberOf(values.rounds), numberOf(values.minutes)];
  const unknown = positionals.filter((name) => !loads.some((load) => load.name === name));
  if (unknown.length > 0) refuseUsage(usage, `Unknown load: ${unknown.join(', ')}.`);
  if (Number.isNaN(rounds) || Number.isNaN(minutes))
    refuseUsage(usage, '--rounds and --minutes take a number above zero.');
  const wanted = loads.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  await build();
  const before = loadavg();
  console.log(`${machine()}, load ${before.map((load) => load.toFixed(2)).join(' ')}\n`);
  const measured = await measure(wanted, { quick: values.quick, rounds, minutes, picture: values.picture });
  console.log(tableOf(measured.rows));
  const report = JSON.stringify(reportOf(measured, before), null, 2);
  console.log(report);
  if (values.json !== undefined) writeFileSync(values.json, `${report}\n`);
  return measured.failed === 0 && measured.rows.every(({ reached }) => reached !== false) ? 0 : 1;
}

/** Returns NaN if the text is not a number above zero. */
function numberOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  return number > 0 ? number : NaN;
}

function reportOf({ rows, versions, failed }: Measured, before: readonly number[]): object {
  return {
    conditions: {
      at: new Date().toISOString(),
      cpu: cpus()[0]?.model.trim(),
      cores: cpus().length,
      memoryBytes: totalmem(),
      kernel: release(),
      loadBefore: before,
      loadAfter: loadavg(),
      versions: { assay: commit(), node: process.versions.node, ...versions },
    },
    figures: rows.map(({ bench, what, goal, measured, reached, figures }) => ({
      part: bench,
      what,
      demand: goal,
      measured,
      holds: reached,
      ...(figures && { figures }),
    })),
    failed,
  };
}

const commit = (): string => execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();

process.exitCode = await main();
