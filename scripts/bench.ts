import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { againBench } from '../test/bench/again.bench.js';
import { annotatorsBench } from '../test/bench/annotators.bench.js';
import type { Bench, BenchContext, BenchRow } from '../test/bench/bench.js';
import { BenchService } from '../test/bench/bench-service.js';
import { boardBench } from '../test/bench/board.bench.js';
import { coverageBench } from '../test/bench/coverage.bench.js';
import { dashboardBench } from '../test/bench/dashboard.bench.js';
import { evaluationBench } from '../test/bench/evaluation.bench.js';
import { liveBench } from '../test/bench/live.bench.js';
import { memoryBench } from '../test/bench/memory.bench.js';
import { newRoundBench } from '../test/bench/new-round.bench.js';
import { overheadBench } from '../test/bench/overhead.bench.js';
import { rankingBench } from '../test/bench/ranking.bench.js';
import { scoringBench } from '../test/bench/scoring.bench.js';
import { smallModelBench } from '../test/bench/small-model.bench.js';
import { uploadBench } from '../test/bench/upload.bench.js';
import { build } from './build.js';

const benches: readonly Bench[] = [
  scoringBench,
  rankingBench,
  coverageBench,
  evaluationBench,
  overheadBench,
  memoryBench,
  againBench,
  newRoundBench,
  uploadBench,
  smallModelBench,
  boardBench,
  dashboardBench,
  liveBench,
  annotatorsBench,
];

const usage = `Usage: npm run bench [-- [--quick] [--rounds N] [NAME ...]]

Measures how fast Assay is, prints every sample and a table. Names: ${benches.map(({ name }) => name).join(', ')}; default: all.

  --quick     small sizes, to see that a bench works
  --rounds N  how often each arm is measured`;

const say = (text: string): void => console.log(text);

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: { quick: { type: 'boolean' }, rounds: { type: 'string' } },
    allowPositionals: true,
  });
  const rounds = values.rounds === undefined ? undefined : Number(values.rounds);
  if (rounds !== undefined && !(Number.isInteger(rounds) && rounds > 0)) {
    console.error(`--rounds ${values.rounds} is no number of rounds.\n\n${usage}`);
    return 64;
  }
  const unknown = positionals.filter((name) => !benches.some((bench) => bench.name === name));
  if (unknown.length > 0) {
    console.error(`There is no bench ${unknown.join(', ')}.\n\n${usage}`);
    return 64;
  }
  const wanted = benches.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  await build();
  say(`${machine()}\n`);
  return measure(wanted, { quick: values.quick ?? false, rounds });
}

async function measure(wanted: readonly Bench[], how: Pick<BenchContext, 'quick' | 'rounds'>): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-bench-'));
  let started: Promise<BenchService> | undefined;
  const service = (): Promise<BenchService> => (started ??= BenchService.start(folder, say));
  const rows: BenchRow[] = [];
  let failed = 0;
  const leave = async (): Promise<void> => {
    await (await started)?.close();
    rmSync(folder, { recursive: true, force: true });
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void leave().finally(() => process.exit(130)));
  }
  try {
    for (const bench of wanted) {
      say(`${bench.name} (load ${loadavg()[0]!.toFixed(1)})`);
      try {
        rows.push(...(await bench.run({ ...how, folder, say, service })));
      } catch (error) {
        // the others are worth their figures all the same
        failed++;
        console.error(error);
      }
      say('');
    }
  } finally {
    await leave();
  }
  say(table(rows));
  return failed === 0 ? 0 : 1;
}

function table(rows: readonly BenchRow[]): string {
  const verdict = (reached: boolean | null): string => (reached === null ? '' : reached ? 'yes' : '**no**');
  const lines = rows.map(
    ({ what, goal, measured, reached }) => `| ${what} | ${goal} | ${measured} | ${verdict(reached)} |`,
  );
  return ['| | goal | measured: median (range) | reached |', '| --- | --- | --- | --- |', ...lines].join('\n');
}

const machine = (): string =>
  `${cpus()[0]?.model.trim() ?? 'unknown CPU'}, ${cpus().length} cores, Node ${process.versions.node}`;

process.exitCode = await main();
