import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRng } from '@assay/kernel';
import type { Bench, BenchContext, BenchRow } from './bench.js';
import type { BenchService } from './bench-service.js';
import { examplesFile } from './examples-file.js';
import { BareRoute, closedLoad, CONNECTIONS, openLoad, type OpenLoad } from './http-load.js';
import { forgetPeak, memoryNow, MIB, peakMemory } from './process-memory.js';
import { processTime } from './process-time.js';
import { figure, inTurn, median, range, ratios } from './samples.js';
import { ScoredModels } from './scored-models.js';

/** The datasets in addition to the one that every bench task has. */
const MORE_DATASETS = ['second', 'third'];
const SHOWN = 100;
/** The number of different weightings in the rotation. */
const ROTATION = 50;

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
  const { api, evaluator } = world;
  forgetPeak(api.pid);
  forgetPeak(evaluator.pid);
  const { commit, answer } = await inTurn(context, context.rounds ?? (context.quick ? 1 : 5), 's', {
    commit: (round) => published(() => board.rescoreOne(round)),
    answer: () => read(),
  });
  const peaks = [api, evaluator].map(({ pid }) => peakMemory(pid) / MIB);
  return [
    { ...noGoal, what: 'one new score → the board of all models published', measured: seconds(commit) },
    { ...noGoal, what: 'its first answer: read from PostgreSQL, ranked, with intervals', measured: seconds(answer) },
    {
      ...noGoal,
      what: 'peak memory over both: the API, the evaluator',
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
  const duration = context.quick ? 1 : 4;
  const rounds = context.rounds ?? (context.quick ? 2 : 5);
  const asked = { 'accept-encoding': encoding };
  const { etag, bytes } = await bytesOf(address, asked);
  const file = join(context.folder, `board.${encoding}`);
  writeFileSync(file, bytes);
  const bare = await BareRoute.start(file, etag, encoding);
  const known = { ...asked, 'if-none-match': etag };
  const plan = { rate: 2_000, seconds: duration, headers: asked };
  const late: Record<'whole' | 'known' | 'bare', OpenLoad[]> = { whole: [], known: [], bare: [] };
  const cost = { board: new ProcessCost(pid), bare: new ProcessCost(bare.pid) };
  try {
    // warm-up: V8 compiles the handlers during their first ten thousand requests
    for (const each of [bare.address, address]) {
      await closedLoad(each, duration, asked);
      await openLoad({ ...plan, addresses: [each], headers: known });
    }
    const rates = await inTurn(context, rounds, 'answers/s', {
      bare: () => closedLoad(bare.address, duration, asked),
      board: () => closedLoad(address, duration, asked),
      bareKnown: () => closedLoad(bare.address, duration, known),
      boardKnown: () => closedLoad(address, duration, known),
    });
    await inTurn(context, rounds, 'ms (p99)', {
      whole: async () => p99Of(late.whole, await cost.board.of(() => openLoad({ ...plan, addresses: [address] }))),
      bare: async () => p99Of(late.bare, await cost.bare.of(() => openLoad({ ...plan, addresses: [bare.address] }))),
      known: async () => p99Of(late.known, await openLoad({ ...plan, addresses: [address], headers: known })),
    });
    const rows = `the first ${SHOWN} rows (${encoding === 'br' ? 'br, ' : ''}${figure(bytes.length / 1000)} kB)`;
    context.say(`  processor time an answer, ${encoding}: ${cost.board.words}, the bare route ${cost.bare.words}`);
    return [
      ratioRow(rows, rates.board, rates.bare),
      ratioRow('the same to a client that has them (304)', rates.boardKnown, rates.bareKnown),
      lateRow(`${rows} at 2,000 requests/s`, late.whole, 5),
      { ...lateRow('the same of the bare route', late.bare, 5), ...noGoal },
      lateRow('the same to a client that has them (304)', late.known, 5),
    ];
  } finally {
    await bare.stop();
  }
}

/** Returns the response body as it is sent. `fetch` would decode it. */
async function bytesOf(address: string, headers: Readonly<Record<string, string>>) {
  const [answer] = (await once(get(address, { headers }), 'response')) as [IncomingMessage];
  return { etag: answer.headers.etag!, bytes: await buffer(answer) };
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

function ratioRow(what: string, over: readonly number[], under: readonly number[]): BenchRow {
  const shares = ratios(over, under);
  return {
    what: `${what}, ${CONNECTIONS} connections ÷ a bare Fastify route that sends the same bytes`,
    goal: '≥ 0.7',
    measured: `${figure(median(shares))} (${range(shares)}; ${figure(median(over))} ÷ ${figure(median(under))} answers/s)`,
    reached: median(shares) >= 0.7,
  };
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
  const rate = 500;
  const weights = (): string =>
    ['accuracy', 'throughput', 'memory'].map((name) => `${name}:${(0.5 + 4 * rng.next()).toFixed(6)}`).join(',');
  const others = (count: number, more = ''): string[] =>
    Array.from({ length: count }, () => `${address}${more}&weights=${weights()}`);
  const rotation = others(ROTATION);
  // fills the cache before the measurement
  for (const each of rotation) await timed(each);
  const load = (addresses: readonly string[]) => openLoad({ addresses, rate, seconds: duration });
  // lets V8 compile the code first, at a rate that the API can sustain until then
  const warm = { rate: 200, seconds: 5 * duration };
  await openLoad({ ...warm, addresses: others(warm.rate * warm.seconds, '&intervals=false') });
  const late: Record<'rotation' | 'bare', OpenLoad[]> = { rotation: [], bare: [] };
  const cost = new ProcessCost(world.api.pid);
  await inTurn(context, rounds, 'ms (p99)', { rotation: async () => p99Of(late.rotation, await load(rotation)) });
  // after the rotation and not in turn with it: the API still works off this overload when its time
  // is over
  await inTurn(context, rounds, 'ms (p99)', {
    bare: async () => p99Of(late.bare, await cost.of(() => load(others(rate * duration, '&intervals=false')))),
  });
  const alone = await inTurn(context, 20, 'ms, one request at a time', {
    bare: () => timed(others(1, '&intervals=false')[0]!),
    whole: () => timed(others(1)[0]!),
  });
  context.say(`  processor time of a weighing without intervals: ${cost.words}`);
  return [
    lateRow(`${ROTATION} weighings in rotation at ${rate} requests/s`, late.rotation, 25),
    lateRow(`other weights in each of ${rate} requests/s, intervals=false`, late.bare, 25),
    { ...noGoal, what: 'other weights, one request at a time, intervals=false', measured: milliseconds(alone.bare) },
    // if one request alone takes longer than 25 ms, the goal is missed without any load
    {
      what: 'the same with intervals of ranks',
      goal: `≤ 25 ms at ${rate} requests/s`,
      measured: milliseconds(alone.whole),
      reached: median(alone.whole) > 25 ? false : null,
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
