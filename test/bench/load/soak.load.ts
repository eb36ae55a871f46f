import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench, BenchRow } from '../bench.js';
import type { BenchService } from '../bench-service.js';
import { figure } from '../samples.js';
import { untilWarm } from '../annotators.bench.js';
import { BenchmarkGrowth } from './soak/benchmark-growth.js';
import { ofDownloads } from './soak/downloads.js';
import { isFlat, type Trend, trendOf } from './soak/growth.js';
import { SoakListener } from './soak/listener.js';
import { keepDoing, type SoakOperation } from './soak/operations.js';
import { examplesIn, ofPeople, write } from './soak/people.js';
import { soakPicture } from './soak/picture.js';
import { soaker, SoakedService } from './soak/soaked-service.js';
import { SoakSubmissions } from './soak/submissions.js';
import { type SoakSample, SoakTally, watchSoak } from './soak/watch.js';

/** The minimum duration in minutes for a verdict on growth. A shorter soak only reports. */
const MINUTES = 30;
/** Seconds between two samples of memory, files and connections. */
const LOOK_SECONDS = 5;
/** Every operation at the same time for half an hour. Nothing may fail, and nothing may grow. */
export const soakLoad: Bench = {
  name: 'soak',
  async run(context) {
    const minutes = context.minutes ?? (context.quick ? 2 : MINUTES);
    const service = await context.service();
    const soak = await SoakedService.prepare(context, service, examplesIn(minutes));
    const tally = new SoakTally();
    const listener = await SoakListener.open(soak);
    try {
      const operations = await operationsOn(soak, tally, listener);
      const before = errorLines(service).length;
      const samples = await soaked(service, operations, tally, minutes);
      const logged = errorLines(service).slice(before);
      if (context.picture !== undefined) writeFileSync(context.picture, soakPicture(samples));
      return rowsOf(minutes, operations, tally, samples, logged);
    } finally {
      await listener.close();
    }
  },
};

/** Returns all operations, once the data that they read exists. */
async function operationsOn(
  soak: SoakedService,
  tally: SoakTally,
  listener: SoakListener,
): Promise<readonly SoakOperation[]> {
  const submissions = new SoakSubmissions(soak, tally, listener);
  const growth = await BenchmarkGrowth.prepare(soak);
  await submissions.bundle();
  await soak.world.board(soak.task, ({ rows }) => rows.length === 1);
  await untilWarm(soak.collection, await soak.world.user(soaker(0)));
  // so that the first validators find an example
  for (let writer = 0; writer < 4; writer++) await write(soak, writer);
  return [
    ...ofPeople(soak),
    ...ofDownloads(soak),
    ...submissions.operations,
    ...growth.operations,
    ...listener.operations,
  ];
}

async function soaked(
  { world }: BenchService,
  operations: readonly SoakOperation[],
  tally: SoakTally,
  minutes: number,
): Promise<readonly SoakSample[]> {
  const over = new AbortController();
  const { signal } = over;
  // three times per part of a trend: memory of work in progress counts as well, so the minimum of
  // the three is used
  const collectSeconds = Math.min(60, 5 * minutes) / 3;
  const watched = watchSoak(world, tally, { seconds: LOOK_SECONDS, collectSeconds, signal });
  const done = keepDoing(operations, tally, signal);
  await sleep(minutes * 60_000);
  over.abort();
  await done;
  return watched;
}

/** Returns the log lines with level error or fatal. */
function errorLines({ world }: BenchService): readonly string[] {
  return ['api', 'worker', 'evaluator'].flatMap((name) =>
    readFileSync(world.log(name), 'utf8')
      .split('\n')
      .filter((line) => /"level":"(?:error|fatal)"/.test(line)),
  );
}

interface Watched {
  readonly name: string;
  readonly unit: ' MiB' | '';
  /**
   * The maximum growth per minute, compared with the upper end of the interval. Null: the value
   * includes garbage, so it is only reported.
   */
  readonly most: number | null;
  readonly of: (sample: SoakSample) => number | null;
}

const WATCHED: readonly Watched[] = [
  {
    name: 'what V8 holds in the API after a collection of garbage',
    unit: ' MiB',
    most: 0.5,
    of: (sample) => sample.apiHeldMiB,
  },
  {
    name: 'what V8 holds in the worker after one',
    unit: ' MiB',
    most: 0.5,
    of: (sample) => sample.workerHeldMiB,
  },
  {
    name: 'what V8 holds in the evaluator after one',
    unit: ' MiB',
    most: 0.5,
    of: (sample) => sample.evaluatorHeldMiB,
  },
  { name: 'resident memory of the API after one', unit: ' MiB', most: 1, of: (sample) => sample.apiRetainedMiB },
  { name: 'resident memory of the worker after one', unit: ' MiB', most: 1, of: (sample) => sample.workerRetainedMiB },
  {
    name: 'resident memory of the evaluator after one',
    unit: ' MiB',
    most: 1,
    of: (sample) => sample.evaluatorRetainedMiB,
  },
  { name: 'memory of the API at any time', unit: ' MiB', most: null, of: (sample) => sample.apiMiB },
  { name: 'memory of the worker at any time', unit: ' MiB', most: null, of: (sample) => sample.workerMiB },
  { name: 'memory of the evaluator at any time', unit: ' MiB', most: null, of: (sample) => sample.evaluatorMiB },
  {
    name: 'open files of the API, but for its clients’ connections',
    unit: '',
    most: 0.5,
    of: (sample) => sample.apiFiles,
  },
  { name: 'open files of the worker', unit: '', most: 0.5, of: (sample) => sample.workerFiles },
  { name: 'open files of the evaluator', unit: '', most: 0.5, of: (sample) => sample.evaluatorFiles },
  { name: 'connections of clients', unit: '', most: null, of: (sample) => sample.clients },
  { name: 'connections to the database', unit: '', most: 0.5, of: (sample) => sample.connections },
];

function rowsOf(
  minutes: number,
  operations: readonly SoakOperation[],
  { counts, errors }: SoakTally,
  samples: readonly SoakSample[],
  logged: readonly string[],
): BenchRow[] {
  for (const error of [...errors, ...logged].slice(0, 20)) console.error(`  ${error}`);
  const done = [...counts].map(([kind, count]) => `${count} × ${kind}`).join(', ');
  const what = `${figure(minutes)} minutes of everything at once`;
  return [
    {
      what: `${what}: errors, and lines of the logs that say of one`,
      goal: '0, 0',
      measured: `${errors.length}, ${logged.length}; ${done}`,
      reached: errors.length + logged.length === 0 && operations.every(({ kind }) => counts.has(kind)),
      figures: { operations: Object.fromEntries(counts), errors, logged, samples },
    },
    ...WATCHED.map((watched) => trendRow(watched, trendOf(samples, watched.of), minutes >= MINUTES)),
  ];
}

function trendRow({ name, unit, most }: Watched, trend: Trend, isJudged: boolean): BenchRow {
  const { slope, low, high, first, last } = trend;
  return {
    what: `the same: ${name}, its trend a minute`,
    goal: most === null ? '' : `95% interval ≤ ${most}${unit}`,
    measured: `${figure(slope)}${unit} (${figure(low)} to ${figure(high)}; ${figure(first)} → ${figure(last)}${unit})`,
    reached: isJudged && most !== null ? isFlat(trend, most) : null,
    figures: { ...trend },
  };
}
