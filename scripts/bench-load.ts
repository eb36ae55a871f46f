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
import { machine, measure, tableOf } from '../test/bench/run-benches.js';
import { build } from './build.js';
import { chosen, commandLine, refuseUsage } from './command-line.js';

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

const { values, positionals } = commandLine(usage, {
  quick: { type: 'boolean', default: false },
  rounds: { type: 'string' },
  minutes: { type: 'string' },
  json: { type: 'string' },
  picture: { type: 'string' },
});
const wanted = chosen(usage, 'load', loads, positionals);
const [rounds, minutes] = [values.rounds, values.minutes].map((text) => (text === undefined ? text : Number(text)));
if ([rounds, minutes].some((number) => number !== undefined && !(number > 0))) {
  refuseUsage(usage, '--rounds and --minutes take a number above zero.');
}
await build();
const loadBefore = loadavg();
console.log(`${machine()}, load ${loadBefore.map((load) => load.toFixed(2)).join(' ')}\n`);
const { quick, picture } = values;
const { rows, versions, failed } = await measure(wanted, { quick, rounds, minutes, picture });
console.log(tableOf(rows));
const report = {
  conditions: {
    at: new Date().toISOString(),
    cpu: cpus()[0]?.model.trim(),
    cores: cpus().length,
    memoryBytes: totalmem(),
    kernel: release(),
    loadBefore,
    loadAfter: loadavg(),
    versions: {
      assay: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim(),
      node: process.versions.node,
      ...versions,
    },
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
const text = JSON.stringify(report, null, 2);
console.log(text);
if (values.json !== undefined) writeFileSync(values.json, `${text}\n`);
process.exitCode = failed === 0 && rows.every(({ reached }) => reached !== false) ? 0 : 1;
