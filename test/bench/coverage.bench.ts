import type { Bench, BenchRow } from './bench.js';
import { populationCoverage, populations, type PopulationCoverage } from './coverage-populations.js';
import { coverageTrials, type Coverage } from './coverage-trials.js';
import { firstPlaceTrials, type FirstPlace } from './first-place-trials.js';

/** The empirical coverage of the 95% intervals, over datasets drawn from known populations. */
export const coverageBench: Bench = {
  name: 'coverage',
  run(context) {
    const datasets = context.quick ? 100 : 1_000;
    const found = coverageTrials(datasets, 'coverage');
    for (const each of found) context.say(`  ${each.what}: ${percent(each)}% of ${each.intervals}`);
    const drawn = populationCoverage(populations(), context.quick ? 50 : 2_000, 'populations');
    for (const each of drawn) context.say(`  ${each.what}: ${populationText(each)}`);
    const firsts = firstPlaceTrials(context.quick ? 50 : 2_000, 'coverage');
    for (const each of firsts) context.say(`  could be first, ${each.population}: ${each.family} of ${each.boards}`);
    return Promise.resolve([
      ...found.map((each) => row(each, datasets)),
      ...drawn.map(populationRow),
      ...firsts.map(firstRow),
    ]);
  },
};

/** The widest mean interval that is allowed, in widths of a plain Wilson interval. */
const WIDEST = 1.3;

function populationRow(found: PopulationCoverage): BenchRow {
  const { intervals, covered, pointlike, width, isComparable, datasets } = found;
  const isNarrow = !isComparable || width === null || width <= WIDEST;
  return {
    what: `95% interval, ${found.what} (${datasets} datasets)`,
    goal: `≥ 93% or no interval${isComparable ? `, width ≤ ${WIDEST} × Wilson` : ''}, never of zero width`,
    measured: populationText(found),
    reached: (intervals === 0 || covered / intervals >= 0.93) && pointlike === 0 && isNarrow,
  };
}

function populationText({ intervals, covered, pointlike, width, datasets }: PopulationCoverage): string {
  if (intervals === 0) return 'no interval';
  return [
    `${((100 * covered) / intervals).toFixed(1)}%`,
    ...(intervals < datasets ? [`interval for ${((100 * intervals) / datasets).toFixed(1)}%`] : []),
    ...(width === null ? [] : [`width ${width.toFixed(2)} × Wilson`]),
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
