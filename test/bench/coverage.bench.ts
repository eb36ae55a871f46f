import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Bench, BenchRow } from './bench.js';
import { populations, type PopulationCoverage } from './coverage-populations.js';
import type { Coverage } from './coverage-trials.js';
import type { CoverageResult, CoverageWork } from './coverage-work.js';
import { FIRST_PLACE_POPULATIONS, type FirstPlace } from './first-place-trials.js';

/**
 * The empirical coverage of the 95% intervals, over datasets drawn from known populations, and how
 * often the best models could be first. All cores compute.
 */
export const coverageBench: Bench = {
  name: 'coverage',
  async run({ quick, say }) {
    const [datasets, many] = quick ? [100, 50] : [1_000, 2_000];
    const works: CoverageWork[] = [
      ...FIRST_PLACE_POPULATIONS.map((_, place) => ({ kind: 'first' as const, place, count: many })),
      ...populations().map((_, place) => ({ kind: 'population' as const, place, count: many })),
      { kind: 'trials', count: datasets },
    ];
    const results = await inThreads(works, (result) => say(`  ${textOf(result)}`));
    return results.flatMap((result): BenchRow[] => {
      if (result.kind === 'trials') return result.found.map((each) => row(each, datasets));
      return [result.kind === 'population' ? populationRow(result.found) : firstRow(result.found)];
    });
  },
};

/** Computes the works on all cores, the next one on the first free core. Returns the results in their order. */
async function inThreads(
  works: readonly CoverageWork[],
  found: (result: CoverageResult) => void,
): Promise<readonly CoverageResult[]> {
  const results: CoverageResult[] = [];
  let next = 0;
  const compute = async (): Promise<void> => {
    const worker = new Worker(new URL('./coverage-thread.ts', import.meta.url));
    try {
      while (next < works.length) {
        const place = next++;
        worker.postMessage(works[place]);
        const [result] = (await once(worker, 'message')) as [CoverageResult];
        results[place] = result;
        found(result);
      }
    } finally {
      await worker.terminate();
    }
  };
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), works.length) }, compute));
  return results;
}

function textOf(result: CoverageResult): string {
  switch (result.kind) {
    case 'trials':
      return result.found.map((each) => `${each.what}: ${percent(each)}% of ${each.intervals}`).join('\n  ');
    case 'population':
      return `${result.found.what}: ${populationText(result.found)}`;
    case 'first':
      return `could be first, ${result.found.population}: ${result.found.family} of ${result.found.boards}`;
  }
}

/** The fewest intervals whose coverage is judged. */
const FEWEST_INTERVALS = 100;
/** The fewest examples of a dataset, and the smallest share of datasets with an interval, for which coverage has an upper limit. */
const ENOUGH = { examples: 50, share: 0.5 };
/** The widest mean interval that is allowed, in widths of a plain Wilson interval. */
const WIDEST = 1.3;

function populationRow(found: PopulationCoverage): BenchRow {
  const { intervals, covered, pointlike, width, isComparable, datasets, examples } = found;
  const isNarrow = !isComparable || width === null || width <= WIDEST;
  // where few datasets have an interval, those are the ones with more rare labels than the population
  const isLimited = examples >= ENOUGH.examples && intervals >= ENOUGH.share * datasets;
  const share = covered / intervals;
  return {
    what: `95% interval, ${found.what} (${datasets} datasets)`,
    goal: `${isLimited ? '93 to 97%' : '≥ 93%'} or no interval${isComparable ? `, width ≤ ${WIDEST} × Wilson` : ''}, never of zero width`,
    measured: populationText(found),
    reached:
      intervals > 0 && intervals < FEWEST_INTERVALS
        ? null
        : (intervals === 0 || (share >= 0.93 && (!isLimited || share <= 0.97))) && pointlike === 0 && isNarrow,
  };
}

function populationText({
  intervals,
  covered,
  pointlike,
  meanWidth,
  width,
  datasets,
  before,
}: PopulationCoverage): string {
  const earlier = before === null ? '' : ` (before: ${before}%)`;
  if (intervals === 0) return `no interval${earlier}`;
  return [
    `${((100 * covered) / intervals).toFixed(1)}%${earlier}`,
    ...(intervals < datasets ? [`interval for ${((100 * intervals) / datasets).toFixed(1)}%`] : []),
    `mean width ${meanWidth!.toPrecision(3)}`,
    ...(width === null ? [] : [`${width.toFixed(2)} × Wilson`]),
    ...(pointlike === 0 ? [] : [`zero width ${((100 * pointlike) / datasets).toFixed(1)}%`]),
  ].join(', ');
}

function row(coverage: Coverage, datasets: number): BenchRow {
  const share = coverage.covered / coverage.intervals;
  // ranks are discrete: for well-separated models the interval is a single rank, which is always
  // correct
  const isRank = coverage.what === 'joint rank';
  return {
    what: `coverage of the 95% interval, ${coverage.what} (${datasets} datasets of 40 clusters)`,
    goal: isRank ? '≥ 93%' : '93% to 97%',
    measured: `${percent(coverage)}%`,
    reached: share >= 0.93 && (isRank || share <= 0.97),
  };
}

function firstRow({ population, boards, perPlace, family, candidates }: FirstPlace): BenchRow {
  const share = (held: number): string => `${((100 * held) / boards).toFixed(1)}%`;
  return {
    what: `the best models could be first, ${population} (${boards} boards)`,
    goal: '≥ 94%',
    measured: `${share(family)} with ${candidates.toFixed(1)} candidates (each place compared by itself: ${share(perPlace)})`,
    reached: family / boards >= 0.94,
  };
}

const percent = ({ covered, intervals }: Coverage): string => ((100 * covered) / intervals).toFixed(1);
