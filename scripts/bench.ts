import { againBench } from '../test/bench/again.bench.js';
import { annotatorsBench } from '../test/bench/annotators.bench.js';
import type { Bench } from '../test/bench/bench.js';
import { boardBench } from '../test/bench/board.bench.js';
import { compareBench } from '../test/bench/compare.bench.js';
import { costsBench } from '../test/bench/costs.bench.js';
import { coverageBench } from '../test/bench/coverage.bench.js';
import { crowdBench } from '../test/bench/crowd.bench.js';
import { dashboardBench } from '../test/bench/dashboard.bench.js';
import { evaluationBench } from '../test/bench/evaluation.bench.js';
import { growthBench } from '../test/bench/growth.bench.js';
import { hostsBench } from '../test/bench/hosts.bench.js';
import { listenersBench } from '../test/bench/listeners.bench.js';
import { liveBench } from '../test/bench/live.bench.js';
import { memoryBench } from '../test/bench/memory.bench.js';
import { neighboursBench } from '../test/bench/neighbours.bench.js';
import { newRoundBench } from '../test/bench/new-round.bench.js';
import { overheadBench } from '../test/bench/overhead.bench.js';
import { rankingBench } from '../test/bench/ranking.bench.js';
import { machine, measure, tableOf } from '../test/bench/run-benches.js';
import { scoringBench } from '../test/bench/scoring.bench.js';
import { smallModelBench } from '../test/bench/small-model.bench.js';
import { uploadBench } from '../test/bench/upload.bench.js';
import { build } from './build.js';
import { chosen, commandLine, refuseUsage } from './command-line.js';

const benches: readonly Bench[] = [
  scoringBench,
  rankingBench,
  compareBench,
  coverageBench,
  evaluationBench,
  overheadBench,
  costsBench,
  memoryBench,
  againBench,
  newRoundBench,
  uploadBench,
  smallModelBench,
  boardBench,
  dashboardBench,
  listenersBench,
  liveBench,
  annotatorsBench,
  crowdBench,
  growthBench,
  hostsBench,
  neighboursBench,
];

const usage = `Usage: npm run bench [-- [--quick] [--rounds N] [NAME ...]]

Measures how fast Assay is, prints every sample and a table. Names: ${benches.map(({ name }) => name).join(', ')}; default: all.

  --quick     small sizes, to see that a bench works
  --rounds N  how often each arm is measured`;

const { values, positionals } = commandLine(usage, {
  quick: { type: 'boolean', default: false },
  rounds: { type: 'string' },
});
const rounds = values.rounds === undefined ? undefined : Number(values.rounds);
if (rounds !== undefined && !(Number.isInteger(rounds) && rounds > 0)) {
  refuseUsage(usage, `--rounds ${values.rounds} is no number of rounds.`);
}
const wanted = chosen(usage, 'benchmark', benches, positionals);
await build();
console.log(`${machine()}\n`);
const { rows, failed } = await measure(wanted, { quick: values.quick, rounds });
console.log(tableOf(rows));
process.exitCode = failed === 0 ? 0 : 1;
