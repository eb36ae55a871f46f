import { type Difference, type MetricComparison, type SliceComparison } from '@assay/contracts/comparison';
import { declareMetric, type Direction, type Estimate, type PerformanceMetric } from '@assay/contracts/metrics';
import { falseDiscoveries } from '@assay/scoring';
import { aggregate } from '@assay/scoring/board';
import {
  type ComparedAnswers,
  type ComparedScores,
  type Comparison,
  greaterOf,
  type TestedDifference,
} from '@assay/scoring/comparison';
import { twoSidedNormal } from '@assay/scoring/intervals';
import type { Scores } from './rounded-differences.js';

/** The false discovery rate among the slices of a field. */
const FALSE_DISCOVERIES = 0.05;

type Estimates = Readonly<Record<string, Estimate>>;

/** A difference before it is corrected for the other differences of the comparison. */
export type Uncorrected<T extends Difference> = Omit<T, 'holm' | 'better'>;

export interface WeighedDifference extends TestedDifference {
  readonly weight: number;
}

/** The place of a pair without a dataset in common in a family. */
export const NO_DIFFERENCE: TestedDifference = {
  difference: { value: NaN, low: null, high: null, standardError: null },
  p: null,
};

/**
 * Returns the weighted mean of the differences on several datasets, with a two-sided p-value from
 * the normal distribution. With a single dataset of non-zero weight it is the difference on that
 * dataset. Null if no dataset has a weight.
 */
export function overallDifference(cells: readonly WeighedDifference[]): Uncorrected<Difference> | null {
  const weighed = cells.filter(({ weight }) => weight > 0);
  if (weighed.length === 1) return { difference: weighed[0]!.difference, p: weighed[0]!.p };
  const { estimate } = aggregate(
    Object.fromEntries(weighed.map(({ difference }, index) => [`dataset ${index}`, difference])),
    Object.fromEntries(weighed.map(({ weight }, index) => [`dataset ${index}`, weight])),
  );
  if (!estimate) return null;
  const { value, low, high, standardError } = estimate;
  return { difference: { value, low, high, standardError }, p: tailOf(value, standardError) };
}

/**
 * Returns the p-value. With a standard error of 0 it is undefined (null), unless the difference is
 * 0 as well.
 */
function tailOf(value: number, standardError: number | null): number | null {
  if (standardError === null) return null;
  if (standardError === 0) return value === 0 ? 1 : null;
  return twoSidedNormal(value / standardError);
}

/** Returns the better of two models, given the one with the greater value. */
export const betterOf = (direction: Direction, greater: 'a' | 'b' | null): 'a' | 'b' | null =>
  greater === null || direction === 'higher' ? greater : greater === 'a' ? 'b' : 'a';

export const directionOf = (name: string, performance: PerformanceMetric): Direction =>
  declareMetric(name, performance)?.direction ?? 'higher';

/** Returns the stored figures of each metric that both models have, with their difference. */
export function metricComparisons(
  { metrics }: ComparedScores,
  a: Estimates,
  b: Estimates,
): Record<string, Uncorrected<MetricComparison>> {
  return Object.fromEntries(
    Object.entries(metrics).map(([name, found]) => [name, metricComparison(found, a[name], b[name])]),
  );
}

function metricComparison(
  { a, b, difference, p, test, discordant, detectable }: Comparison,
  storedA: Estimate | undefined,
  storedB: Estimate | undefined,
): Uncorrected<MetricComparison> {
  return {
    a: storedA ?? bare(a),
    b: storedB ?? bare(b),
    difference,
    p,
    test,
    ...(discordant && { discordant: { a: discordant.onlyA, b: discordant.onlyB } }),
    detectable,
  };
}

const bare = (value: number): Estimate => ({ value, low: null, high: null });

/**
 * Returns the comparisons by field and value. Whether a slice stands out is tested over the slices
 * of its field, separately for each metric.
 */
export function sliceComparisons(
  { slices }: ComparedAnswers,
  a: Scores,
  b: Scores,
  performance: PerformanceMetric,
): Record<string, Record<string, SliceComparison>> {
  return Object.fromEntries(
    Object.entries(slices).map(([field, values]) => {
      const standing = standingOut(values);
      const compared = Object.entries(values).map(([value, scores]): [string, SliceComparison] => {
        const stored = ({ slices: all }: Scores): Estimates => all?.[field]?.[value]?.metrics ?? {};
        const metrics = Object.entries(metricComparisons(scores, stored(a), stored(b)));
        return [
          value,
          {
            n: scores.n,
            metrics: Object.fromEntries(
              metrics.map(([name, each]) => {
                const standsOut = standing.has(named(name, value));
                const greater = standsOut ? greaterOf(each.difference) : null;
                return [name, { ...each, better: betterOf(directionOf(name, performance), greater), standsOut }];
              }),
            ),
          },
        ];
      });
      return [field, Object.fromEntries(compared)];
    }),
  );
}

const named = (metric: string, slice: string): string => `${metric} ${slice}`;

/**
 * Returns the slices whose differences are significant by the procedure of Benjamini and Hochberg
 * (1995), for each metric separately.
 */
function standingOut(values: Readonly<Record<string, ComparedScores>>): ReadonlySet<string> {
  const tested = Object.entries(values).flatMap(([slice, { metrics }]) =>
    Object.entries(metrics).flatMap(([metric, { p }]) => (p === null ? [] : [{ metric, slice, p }])),
  );
  const found = new Set<string>();
  for (const [metric, group] of Map.groupBy(tested, (each) => each.metric)) {
    const rejected = falseDiscoveries(
      group.map(({ p }) => p),
      FALSE_DISCOVERIES,
    );
    for (const [index, { slice }] of group.entries()) if (rejected[index]) found.add(named(metric, slice));
  }
  return found;
}
