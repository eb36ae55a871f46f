import type { Bench, BenchRow } from './bench.js';
import { coverageTrials, type Coverage } from './coverage-trials.js';

/** The empirical coverage of the 95% intervals, over datasets drawn from a known population. */
export const coverageBench: Bench = {
  name: 'coverage',
  run(context) {
    const datasets = context.quick ? 100 : 1_000;
    const found = coverageTrials(datasets, 'coverage');
    for (const each of found) context.say(`  ${each.what}: ${percent(each)}% of ${each.intervals}`);
    return Promise.resolve(found.map((each) => row(each, datasets)));
  },
};

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

const percent = ({ covered, intervals }: Coverage): string => ((100 * covered) / intervals).toFixed(1);
