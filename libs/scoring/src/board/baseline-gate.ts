import { aggregateInterval } from './aggregation.js';
import type { AggregatedMatrix, BoardMatrix, OwnRounds } from './board-matrix.js';

/**
 * Marks the models below the baseline with 1: those whose performance interval does not lie above
 * the best baseline. Without an interval, the value itself must. A model is judged by its clean
 * cells that were not collected against it, or by its aggregate if it has none. Null if no baseline
 * has a value on every weighted dataset, so that no model is below it.
 *
 * @param weights one per dataset
 */
export function belowBaseline(
  matrix: BoardMatrix,
  { board, standardErrors }: AggregatedMatrix,
  { weights, ownRounds }: { readonly weights: Float64Array; readonly ownRounds: OwnRounds },
): Uint8Array | null {
  const { direction, range } = matrix.metrics[board.performance]!;
  const weighed = Int32Array.from(weights.keys()).filter((dataset) => weights[dataset]! > 0);
  const rows = (matrix.baselines?.rows ?? []).filter((row) => weighed.every((dataset) => row[dataset] !== null));
  if (rows.length === 0 || weighed.length === 0) return null;

  const { clean } = matrix.baselines!;
  const sign = direction === 'lower' ? -1 : 1;
  const meanOf = (values: ArrayLike<number | null>, datasets: Int32Array, offset = 0): number => {
    const sum = datasets.reduce((before, dataset) => before + weights[dataset]!, 0);
    return datasets.reduce((before, dataset) => before + weights[dataset]! * values[offset + dataset]!, 0) / sum;
  };
  const baselineOn = (datasets: Int32Array): number => Math.max(...rows.map((row) => sign * meanOf(row, datasets)));
  const isEvidence = (cell: number): boolean => clean[cell] === 1 && (ownRounds === 'count' || matrix.own[cell] === 0);
  const onAll = baselineOn(weighed);

  const below = new Uint8Array(board.ids.length);
  for (let model = 0; model < below.length; model++) {
    const offset = model * weights.length;
    let evidence = 0;
    for (const dataset of weighed) evidence += Number(isEvidence(offset + dataset));
    const isPart = evidence > 0 && evidence < weighed.length;
    const datasets = isPart ? weighed.filter((dataset) => isEvidence(offset + dataset)) : weighed;
    const at = model * board.metrics.length + board.performance;
    const value = isPart ? meanOf(matrix.values[board.performance]!, datasets, offset) : board.values[at]!;
    const error = isPart ? errorOf(matrix, { offset, datasets, weights }, board.performance) : standardErrors[at]!;
    const interval = aggregateInterval(value, error, range);
    const worst = (direction === 'lower' ? interval?.high : interval?.low) ?? value;
    below[model] = sign * worst > (isPart ? baselineOn(datasets) : onAll) ? 0 : 1;
  }
  return below;
}

/** Returns the standard error of the weighted mean over some cells of a model; NaN if one is unknown. */
function errorOf(
  { errors }: BoardMatrix,
  {
    offset,
    datasets,
    weights,
  }: { readonly offset: number; readonly datasets: Int32Array; readonly weights: Float64Array },
  column: number,
): number {
  let sum = 0;
  let variance = 0;
  for (const dataset of datasets) {
    sum += weights[dataset]!;
    variance += (weights[dataset]! * (errors?.[column]?.[offset + dataset] ?? NaN)) ** 2;
  }
  return Math.sqrt(variance) / sum;
}
