import type { Board } from './board.js';
import type { BoardMetric } from './utility.js';

/**
 * How costs are converted into points. `fixed`: at `rates` points per doubling, counted from
 * `references` (by cost, in its unit). `amrs`: by the average marginal rates of substitution of the
 * models that are present, as published.
 */
export type Exchange = FixedExchange | { readonly kind: 'amrs' };

export interface FixedExchange {
  readonly kind: 'fixed';
  readonly rates: Readonly<Record<string, number>>;
  readonly references: Readonly<Record<string, number>>;
}

/**
 * Returns the metric as a column of a board at fixed rates. A cost gets its rate, unless the owner
 * converts it to points by a curve. Limits do not count. Other metrics keep their rules.
 */
export function atFixedRates(
  { limit: _limit, ...metric }: BoardMetric,
  { rates, references }: FixedExchange,
): BoardMetric {
  const [rate, reference] = [rates[metric.name], references[metric.name]];
  if (rate === undefined || reference === undefined || metric.curve) return metric;
  return { ...metric, exchange: { rate, reference } };
}

/**
 * Returns the coefficient of each metric in the score at fixed rates: w_k / W, where W is the sum
 * of the weights of the metrics without a rate, or of all weights if only costs have one. With the
 * utilities of `atFixedRates`, score = Σ_j w_j p_j / W + Σ_k (w_k / W) · ρ_k · log2(ref_k / x_k).
 *
 * @param weights in the order of the metrics, of any scale
 */
export function fixedCoefficients(metrics: readonly BoardMetric[], weights: Float64Array): Float64Array {
  let points = 0;
  let all = 0;
  for (const [column, { exchange }] of metrics.entries()) {
    all += weights[column]!;
    if (!exchange) points += weights[column]!;
  }
  return weights.map((weight) => weight / (points > 0 ? points : all));
}

/**
 * Returns the points that each metric adds to the score of a row. Their sum, in the order of the
 * metrics, is the score. Metrics that do not count are absent.
 */
export function pointsOf(
  { metrics, utilities }: Board,
  coefficients: Float64Array,
  row: number,
): Readonly<Record<string, number>> {
  const points: Record<string, number> = {};
  for (const [column, { name }] of metrics.entries()) {
    const coefficient = coefficients[column]!;
    if (coefficient > 0) points[name] = coefficient * utilities[row * metrics.length + column]!;
  }
  return points;
}
