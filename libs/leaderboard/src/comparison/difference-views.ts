import { type Difference, type MetricComparison, type SliceComparison } from '@assay/contracts/comparison';
import { declareMetric, type Direction, type Estimate, type PerformanceMetric } from '@assay/contracts/metrics';
import { falseDiscoveries } from '@assay/scoring';
import { aggregate } from '@assay/scoring/board';
import { type ComparedAnswers, type ComparedScores, type Comparison } from '@assay/scoring/comparison';
import { twoSidedNormal } from '@assay/scoring/intervals';
import type { Scores } from './rounded-differences.js';

/**
 * The significance level of a difference. For the slices of a field it is the false discovery rate.
 */
const SIGNIFICANT = 0.05;

type Estimates = Readonly<Record<string, Estimate>>;

/** Returns which of two models is better by a metric; null if the difference is not significant. */
export function betterOf(direction: Direction, difference: number, p: number | null): 'a' | 'b' | null {
  if (p === null || p >= SIGNIFICANT || difference === 0) return null;
  return difference > 0 === (direction === 'higher') ? 'a' : 'b';
}

export interface WeighedDifference {
  readonly weight: number;
  readonly difference: Estimate;
}

/**
 * Returns the weighted mean of the differences on several datasets, with a two-sided p-value from
 * the normal distribution. Null if no dataset has a weight.
 */
export function overallDifference(cells: readonly WeighedDifference[], direction: Direction): Difference | null {
  const { estimate } = aggregate(
    Object.fromEntries(cells.map(({ difference }, index) => [`dataset ${index}`, difference])),
    Object.fromEntries(cells.map(({ weight }, index) => [`dataset ${index}`, weight])),
  );
  if (!estimate) return null;
  const { value, low, high, standardError } = estimate;
  const p = tailOf(value, standardError);
  return { difference: { value, low, high, standardError }, p, better: betterOf(direction, value, p) };
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

export const directionOf = (name: string, performance: PerformanceMetric): Direction =>
  declareMetric(name, performance)?.direction ?? 'higher';

/** Returns the stored figures of each metric that both models have, with their difference. */
export function metricComparisons(
  { metrics }: ComparedScores,
  a: Estimates,
  b: Estimates,
  performance: PerformanceMetric,
): Record<string, MetricComparison> {
  return Object.fromEntries(
    Object.entries(metrics).map(([name, found]) => [
      name,
      metricComparison(found, a[name], b[name], directionOf(name, performance)),
    ]),
  );
}

function metricComparison(
  { a, b, difference, p, test, discordant, detectable }: Comparison,
  storedA: Estimate | undefined,
  storedB: Estimate | undefined,
  direction: Direction,
): MetricComparison {
  return {
    a: storedA ?? bare(a),
    b: storedB ?? bare(b),
    difference,
    p,
    better: betterOf(direction, difference.value, p),
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
        const metrics = metricComparisons(scores, stored(a), stored(b), performance);
        return [value, { n: scores.n, metrics: withStanding(metrics, value, standing) }];
      });
      return [field, Object.fromEntries(compared)];
    }),
  );
}

const withStanding = (
  metrics: Readonly<Record<string, MetricComparison>>,
  slice: string,
  standing: ReadonlySet<string>,
): SliceComparison['metrics'] =>
  Object.fromEntries(
    Object.entries(metrics).map(([name, each]) => [name, { ...each, standsOut: standing.has(named(name, slice)) }]),
  );

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
      SIGNIFICANT,
    );
    for (const [index, { slice }] of group.entries()) if (rejected[index]) found.add(named(metric, slice));
  }
  return found;
}
