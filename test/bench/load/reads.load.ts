import { seededRng } from '@assay/kernel';
import type { Bench, BenchContext, BenchRow } from '../bench.js';
import type { BenchService } from '../bench-service.js';
import { emptyBoard } from '../board.bench.js';
import { openLoad, type OpenLoad } from '../http-load.js';
import { processTime } from '../process-time.js';
import { figure, inTurn, median, range } from '../samples.js';
import { ScoredModels } from '../scored-models.js';
import { readingTokens } from './reading-users.js';

/** Requests per second. */
const RATE = 800;
/** The limit in milliseconds. */
const MOST = 100;
const READERS = 50;
/** The number of URLs in the rotation. */
const ADDRESSES = 1_000;

/** The share of each kind of request, in percent. */
const MIX = {
  board: 15,
  weighed: 5,
  model: 20,
  'own models': 15,
  task: 15,
  models: 5,
  tasks: 5,
  history: 5,
  me: 5,
  quota: 5,
  notifications: 5,
} as const;
type Kind = keyof typeof MIX;

/** Reads by signed-in users at a fixed rate, regardless of outstanding responses. */
export const readsLoad: Bench = {
  name: 'reads',
  async run(context) {
    const { quick, say } = context;
    const service = await context.service();
    const { world } = service;
    const { addresses, kinds } = await addressesOf(context, service);
    const tokens = await readingTokens(world.databaseUrl, READERS);
    const plan = { addresses, kinds, tokens };
    // requests each URL once, because only few readers meet an uncached response
    await openLoad({ ...plan, rate: 100, seconds: ADDRESSES / 100 });

    const loads: OpenLoad[] = [];
    let spent = 0;
    await inTurn(context, context.rounds ?? (quick ? 1 : 3), 'ms (p99)', {
      reads: async () => {
        const before = processTime(world.api.pid);
        const load = await openLoad({ ...plan, rate: RATE, seconds: quick ? 5 : 60 });
        spent += processTime(world.api.pid) - before;
        loads.push(load);
        for (const [kind, { count, p50, p99 }] of Object.entries(load.byKind!))
          say(`    ${kind}: ${count}, p50 ${figure(p50)} ms, p99 ${figure(p99)} ms`);
        return load.p99;
      },
    });
    const answers = loads.reduce((sum, { count }) => sum + count, 0);
    say(`  processor time of the API an answer: ${figure(spent / answers)} ms`);
    return [rowOf(loads)];
  },
};

function rowOf(loads: readonly OpenLoad[]): BenchRow {
  const p99 = loads.map((load) => load.p99);
  const p50 = median(loads.map((load) => load.p50));
  const asked = loads.reduce((sum, { count }) => sum + count, 0);
  const good = loads.reduce((sum, { statuses }) => sum + (statuses['200'] ?? 0), 0);
  return {
    what: `${RATE} reads/s by ${READERS} users with tokens (${mixWords}): p99; answers other than 200, or none`,
    goal: `≤ ${MOST} ms; 0`,
    measured: `${figure(median(p99))} ms (${range(p99)}; p50 ${figure(p50)}); ${asked - good} of ${asked}`,
    reached: median(p99) <= MOST && good === asked,
    figures: {
      ratePerSecond: RATE,
      p50Milliseconds: p50,
      p99Milliseconds: p99,
      asked,
      statuses: loads.map(({ statuses }) => statuses),
      byKind: loads.at(-1)!.byKind,
    },
  };
}

const mixWords = Object.entries(MIX)
  .map(([kind, share]) => `${kind} ${share}%`)
  .join(', ');

/**
 * Returns URLs of a task with a thousand models on three datasets, in the proportions of `MIX` and
 * in random order.
 */
export async function addressesOf(context: BenchContext, service: BenchService) {
  const { world } = service;
  const task = await emptyBoard(context, service);
  const board = await ScoredModels.open(world, task);
  try {
    await board.add(context.quick ? 200 : 1_000);
    await board.stale();
    // the evaluations that the new datasets require of all models occupy a core for a minute
    await world.until(async () => (await board.revision()) > 0 && (await service.isAtRest()), 600_000);
  } finally {
    await board.close();
  }
  const { items } = (await world.expect(200, 'GET', `/tasks/${task}/models?limit=100`, {})).body as {
    items: readonly { readonly id: string }[];
  };
  const rng = seededRng('reads');
  const paths: Record<Kind, () => string> = {
    board: () => `/tasks/${task}/leaderboard?limit=20`,
    weighed: () => `/tasks/${task}/leaderboard?limit=20&weights=accuracy:${1 + rng.below(9)}`,
    model: () => `/models/${items[rng.below(items.length)]!.id}`,
    'own models': () => '/me/models',
    task: () => `/tasks/${task}`,
    models: () => `/tasks/${task}/models?limit=20`,
    tasks: () => '/tasks',
    history: () => `/tasks/${task}/history`,
    me: () => '/me',
    quota: () => `/tasks/${task}/quota`,
    notifications: () => '/me/notifications',
  };
  const kinds = (Object.keys(MIX) as Kind[]).flatMap((kind) =>
    Array.from({ length: (MIX[kind] * ADDRESSES) / 100 }, () => kind),
  );
  for (let last = kinds.length - 1; last > 0; last--) {
    const other = rng.below(last + 1);
    [kinds[last], kinds[other]] = [kinds[other]!, kinds[last]!];
  }
  return { kinds, addresses: kinds.map((kind) => `${world.url}/api/v1${paths[kind]()}`) };
}
