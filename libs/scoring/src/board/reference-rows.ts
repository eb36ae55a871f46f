import { total, type LabelCounts } from '../label-counts.js';
import { metricNamed } from '../metrics/registry.js';

export interface ReferenceRow {
  readonly name: 'majority' | 'random';
  /** The label that `majority` answers; null for `random`. */
  readonly label: string | null;
  /** Value per metric. Metrics that cannot be computed from labels are left out. */
  readonly metrics: Readonly<Record<string, number>>;
}

/**
 * Returns the rows that need no model, from the number of examples per gold label. `majority`
 * always answers the most frequent label (of equally frequent ones, the first by name). `random`
 * draws a label by the label shares; its value comes from the expected confusion table, which is
 * exact for accuracy and the limit of many examples for F1. Both give the label shares as their
 * probabilities. Without labels there are no rows.
 *
 * @throws DomainError `unknown_metric`
 */
export function referenceRows(
  goldCounts: Readonly<Record<string, number>>,
  metrics: readonly string[],
): readonly ReferenceRow[] {
  const labels = Object.keys(goldCounts)
    .filter((label) => goldCounts[label]! > 0)
    .sort();
  if (labels.length === 0) return [];

  const support = Float64Array.from(labels, (label) => goldCounts[label]!);
  const n = total(support);
  const majority = support.indexOf(support.reduce((a, b) => Math.max(a, b)));
  const shares = support.map((count) => count / n);
  const certain = support.map((_, label) => (label === majority ? 1 : 0));

  const row = (name: ReferenceRow['name'], label: string | null, answered: Float64Array): ReferenceRow => {
    const counts: LabelCounts = {
      n,
      support,
      predicted: answered.map((share) => share * n),
      hits: answered.map((share, index) => share * support[index]!),
    };
    return { name, label, metrics: metricsOf(counts, shares, metrics) };
  };
  return [row('majority', labels[majority]!, certain), row('random', null, shares)];
}

function metricsOf(counts: LabelCounts, shares: Float64Array, names: readonly string[]): Record<string, number> {
  const values = names.flatMap((name): [string, number][] => {
    const metric = metricNamed(name);
    const ofCounts = 'fromLabels' in metric ? metric.fromLabels?.(counts) : undefined;
    const value = ofCounts ?? metric.fromShares?.(shares);
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(values);
}
