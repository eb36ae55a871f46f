/**
 * The margins of a confusion matrix, one entry per label of the union of gold and predicted labels.
 */
export interface LabelCounts {
  /** Number of examples, including those without an answer. */
  readonly n: number;
  /** Per label, examples whose gold it is. */
  readonly support: Float64Array;
  /** Per label, examples answered with it. */
  readonly predicted: Float64Array;
  /** Per label, examples whose gold it is and that were answered with it. */
  readonly hits: Float64Array;
}

/**
 * Returns the F1 of one label; 0 if it is neither gold nor predicted (scikit-learn's
 * `zero_division=0`).
 */
export function labelF1(counts: LabelCounts, label: number): number {
  const either = counts.support[label]! + counts.predicted[label]!;
  return either === 0 ? 0 : (2 * counts.hits[label]!) / either;
}

/** Returns the sum of a column. */
export function total(column: ArrayLike<number>): number {
  let sum = 0;
  for (let index = 0; index < column.length; index++) sum += column[index]!;
  return sum;
}
