/** The margins of a confusion matrix, one entry a label of the union of gold and predicted. */
export interface LabelCounts {
  /** All examples, also those without an answer. */
  readonly n: number;
  /** Examples whose gold is the label. */
  readonly support: Float64Array;
  /** Examples answered with the label. */
  readonly predicted: Float64Array;
  /** Examples whose gold is the label and that were answered with it. */
  readonly hits: Float64Array;
}

/** F1 of one label; 0 where it is neither gold nor predicted (scikit-learn's `zero_division=0`). */
export function labelF1(counts: LabelCounts, label: number): number {
  const either = counts.support[label]! + counts.predicted[label]!;
  return either === 0 ? 0 : (2 * counts.hits[label]!) / either;
}

/** Sum of a column. */
export function total(column: Float64Array): number {
  let sum = 0;
  for (let index = 0; index < column.length; index++) sum += column[index]!;
  return sum;
}
