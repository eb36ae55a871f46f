import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRng } from '@assay/kernel';
import type { Bench, BenchContext, BenchRow } from './bench.js';
import type { BenchService } from './bench-service.js';
import { examplesFile } from './examples-file.js';
import { openLoad, type OpenLoad } from './http-load.js';
import { forgetPeak, memoryNow, MIB, peakMemory } from './process-memory.js';
import { processTime } from './process-time.js';
import { figure, inTurn, median, range } from './samples.js';
import { ScoredModels } from './scored-models.js';

/** The datasets in addition to the one that every bench task has. */
const MORE_DATASETS = ['second', 'third'];
const SHOWN = 100;
/** The number of different weightings in the rotation. */
const ROTATION = 50;
/** Requests per second for cached boards, and for boards with new weights. */
const RATE = 500;
const NEW_RATE = 50;
/** The limit in milliseconds of one board with new weights and rank intervals. */
const MOST_WITH_INTERVALS = 300;

/** A board of many models: the time to read, reweight and publish it. */
export const boardBench: Bench = {
  name: 'board',
  async run(context) {
    const { quick, say } = context;
    const models = quick ? 500 : 10_000;
    const service = await context.service();
    const task = await emptyBoard(context, service);
    const board = await ScoredModels.open(service.world, task);
    try {
      const seeded = performance.now();
      await board.add(models);
      say(`  ${models} models in the tables after ${figure((performance.now() - seeded) / 1000)} s`);
      const publishing = await publication(context, service, board, task);
      const address = `${service.world.url}/api/v1/tasks/${task}/leaderboard`;
      await service.world.until(() => service.isAtRest(), 600_000);
      const reading = await reads(context, service, address);
      const weighing = await weighings(context, service, `${address}?limit=${SHOWN}`);
      const matrix = await matrixOf(context, `${address}/matrix`);
      say(`  the API's memory at the end: ${figure(memoryNow(service.world.api.pid) / MIB)} MiB`);
      return [...reading, ...weighing, ...publishing, ...matrix];
    } finally {
      await board.close();
    }
  },
};

/**
 * Creates a task with three hidden datasets and the default weights.
 * @returns The slug of the task.
 */
export async function emptyBoard({ quick, folder }: BenchContext, service: BenchService): Promise<string> {
  const examples = quick ? 500 : 10_000;
  const task = await service.task(await examplesFile(folder, examples, 'examples'), {
    weights: { accuracy: 4, throughput: 1, memory: 1 },
  });
  for (const name of MORE_DATASETS) {
    const file = await examplesFile(folder, examples, name);
    const path = `/tasks/${task}/datasets/${name}?role=static`;
    await service.world.expect(201, 'PUT', path, { token: service.world.admin, type: 'application/x-ndjson', file });
  }
  return task;
}

/**
 * Measures the time from the commit of one new score to the published board, and the time of the
 * API's first response with it.
 */
async function publication(
  context: BenchContext,
  { world }: BenchService,
  board: ScoredModels,
  task: string,
): Promise<BenchRow[]> {
  const published = async (announce: () => Promise<void>): Promise<number> => {
    const before = await board.revision();
    await announce();
    const started = performance.now();
    while ((await board.revision()) === before) await sleep(5);
    return (performance.now() - started) / 1000;
  };
  const read = async (): Promise<number> => {
    const started = performance.now();
    await world.expect(200, 'GET', `/tasks/${task}/leaderboard?limit=${SHOWN}`, {});
    return (performance.now() - started) / 1000;
  };
  context.say(
    `  the first board: ${figure(await published(() => board.stale()))} s, its first answer ${figure(await read())} s`,
  );
  const { api, worker } = world;
  forgetPeak(api.pid);
  forgetPeak(worker.pid);
  const { commit, answer } = await inTurn(context, context.rounds ?? (context.quick ? 1 : 5), 's', {
    commit: (round) => published(() => board.rescoreOne(round)),
    answer: () => read(),
  });
  const peaks = [api, worker].map(({ pid }) => peakMemory(pid) / MIB);
  return [
    {
      what: 'one new score → the board of all models published',
      goal: '≤ 1 s',
      measured: seconds(commit),
      reached: median(commit) <= 1,
    },
    {
      what: 'its first answer: read from PostgreSQL, ranked, with intervals',
      goal: '≤ 300 ms',
      measured: seconds(answer),
      reached: median(answer) <= 0.3,
    },
    {
      ...noGoal,
      what: 'peak memory over both: the API, the worker',
      measured: peaks.map((peak) => `${figure(peak)} MiB`).join(', '),
    },
  ];
}

const noGoal = { goal: '', reached: null } as const;

const seconds = (samples: readonly number[]): string => `${figure(median(samples))} s (${range(samples)})`;

/**
 * Measures the first request of a client: the top rows, cached in memory, compressed as browsers
 * ask for them and uncompressed.
 */
async function reads(context: BenchContext, { world }: BenchService, board: string): Promise<BenchRow[]> {
  const address = `${board}?limit=${SHOWN}`;
  return [
    ...(await readsIn('br', context, address, world.api.pid)),
    ...(await readsIn('identity', context, address, world.api.pid)),
  ];
}

async function readsIn(
  encoding: 'br' | 'identity',
  context: BenchContext,
  address: string,
  pid: number,
): Promise<BenchRow[]> {
  const seconds = context.quick ? 1 : 4;
  const rounds = context.rounds ?? (context.quick ? 2 : 5);
  const headers = { 'accept-encoding': encoding };
  const { etag, size } = await answerOf(address, headers);
  const plan = { addresses: [address], rate: RATE, seconds, headers };
  const knownPlan = { ...plan, headers: { ...headers, 'if-none-match': etag } };
  const late: Record<'whole' | 'known', OpenLoad[]> = { whole: [], known: [] };
  const cost = new ProcessCost(pid);
  // warm-up: V8 compiles the handlers during their first ten thousand requests
  await openLoad({ ...plan, seconds: 5 * seconds });
  await inTurn(context, rounds, 'ms (p99)', {
    whole: async () => p99Of(late.whole, await cost.of(() => openLoad(plan))),
    known: async () => p99Of(late.known, await openLoad(knownPlan)),
  });
  const rows = `the first ${SHOWN} rows (${encoding === 'br' ? 'br, ' : ''}${figure(size / 1000)} kB)`;
  context.say(`  processor time an answer, ${encoding}: ${cost.words}`);
  return [
    lateRow(`${rows} at ${RATE} requests/s`, late.whole, 20),
    lateRow('the same to a client that has them (304)', late.known, 20),
  ];
}

/** Returns the size of the response body as it is sent. `fetch` would decode it. */
async function answerOf(address: string, headers: Readonly<Record<string, string>>) {
  const [answer] = (await once(get(address, { headers }), 'response')) as [IncomingMessage];
  return { etag: answer.headers.etag!, size: (await buffer(answer)).length };
}

/**
 * Measures the processor time of a process per response. Unlike elapsed time, it does not depend on
 * other load on the machine.
 */
class ProcessCost {
  private milliseconds = 0;
  private answers = 0;

  constructor(private readonly pid: number) {}

  async of(work: () => Promise<OpenLoad>): Promise<OpenLoad> {
    const before = processTime(this.pid);
    const load = await work();
    this.milliseconds += processTime(this.pid) - before;
    this.answers += Object.values(load.statuses).reduce((sum, count) => sum + count, 0);
    return load;
  }

  get words(): string {
    return `${figure(this.milliseconds / this.answers)} ms`;
  }
}

function p99Of(into: OpenLoad[], load: OpenLoad): number {
  const bad = Object.entries(load.statuses).filter(([status]) => status !== '200' && status !== '304');
  if (bad.length > 0) throw new Error(`answers of ${bad.map(([status, count]) => `${count} × ${status}`).join(', ')}`);
  into.push(load);
  return load.p99;
}

function lateRow(what: string, loads: readonly OpenLoad[], most: number): BenchRow {
  const p99 = loads.map((load) => load.p99);
  const middle = (of: 'p50' | 'lag'): string => figure(median(loads.map((load) => load[of])));
  const asked = loads.reduce((sum, { statuses, unanswered }) => sum + unanswered + (statuses['200'] ?? 0), 0);
  const unanswered = loads.reduce((sum, load) => sum + load.unanswered, 0);
  const lost = unanswered > 0 ? `; ${figure((100 * unanswered) / asked)}% not answered in time` : '';
  return {
    what: `${what}: p99`,
    goal: `≤ ${most} ms`,
    measured: `${figure(median(p99))} ms (${range(p99)}; p50 ${middle('p50')}, asked late by ${middle('lag')} at p99${lost})`,
    reached: median(p99) <= most,
  };
}

/** Measures the same rows with weights other than the task's. */
async function weighings(context: BenchContext, { world }: BenchService, address: string): Promise<BenchRow[]> {
  const duration = context.quick ? 1 : 4;
  const rounds = context.rounds ?? (context.quick ? 1 : 3);
  const rng = seededRng('weighings');
  const weights = (): string =>
    ['accuracy', 'throughput', 'memory'].map((name) => `${name}:${(0.5 + 4 * rng.next()).toFixed(6)}`).join(',');
  const others = (count: number, more = ''): string[] =>
    Array.from({ length: count }, () => `${address}${more}&weights=${weights()}`);
  const rotation = others(ROTATION);
  // fills the cache before the measurement
  for (const each of rotation) await timed(each);
  // lets V8 compile the code first, at a rate that the API can sustain until then
  const warm = { rate: 100, seconds: 5 * duration };
  await openLoad({ ...warm, addresses: others(warm.rate * warm.seconds, '&intervals=false') });
  const late: Record<'rotation' | 'bare', OpenLoad[]> = { rotation: [], bare: [] };
  const cost = new ProcessCost(world.api.pid);
  const fresh = () => ({
    addresses: others(NEW_RATE * duration, '&intervals=false'),
    rate: NEW_RATE,
    seconds: duration,
  });
  await inTurn(context, rounds, 'ms (p99)', {
    rotation: async () => p99Of(late.rotation, await openLoad({ addresses: rotation, rate: RATE, seconds: duration })),
    bare: async () => p99Of(late.bare, await cost.of(() => openLoad(fresh()))),
  });
  const { alone } = await inTurn(context, 20, 'ms, one request at a time', { alone: () => timed(others(1)[0]!) });
  context.say(`  processor time of a weighing without intervals: ${cost.words}`);
  return [
    lateRow(`${ROTATION} weighings in rotation at ${RATE} requests/s`, late.rotation, 20),
    lateRow(`other weights in each of ${NEW_RATE} requests/s, intervals=false`, late.bare, 100),
    {
      what: 'other weights with intervals of ranks, one request at a time',
      goal: `≤ ${MOST_WITH_INTERVALS} ms`,
      measured: milliseconds(alone),
      reached: median(alone) <= MOST_WITH_INTERVALS,
    },
  ];
}

async function timed(address: string, headers = {}): Promise<number> {
  const started = performance.now();
  const answer = await fetch(address, { headers });
  if (answer.status !== 200) throw new Error(`${address}: ${answer.status} ${await answer.text()}`);
  await answer.arrayBuffer();
  return performance.now() - started;
}

const milliseconds = (samples: readonly number[]): string => `${figure(median(samples))} ms (${range(samples)})`;

/**
 * Measures the file with which a browser ranks by itself: built for the first request of each
 * encoding, then cached.
 */
async function matrixOf(context: BenchContext, address: string): Promise<BenchRow[]> {
  const words: string[] = [];
  for (const encoding of ['br', 'gzip', 'identity'] as const) {
    const headers = { 'accept-encoding': encoding };
    const first = await timed(address, headers);
    const again = await inTurn(context, 5, `ms, ${encoding}`, { again: () => timed(address, headers) });
    const { bytes } = await openLoad({ addresses: [address], rate: 1, seconds: 1, headers });
    words.push(
      `${encoding} ${figure(bytes / 1000)} kB (first ${figure(first)} ms, then ${figure(median(again.again))})`,
    );
  }
  return [{ ...noGoal, what: 'the matrix of all models, whole: bytes sent, time', measured: words.join(', ') }];
}
