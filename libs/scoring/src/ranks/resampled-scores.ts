import { utilityRule, type BoardMetric } from '../board/utility.js';

/**
 * The value of a metric for a model on a dataset, with its values in the bootstrap draws. Without
 * draws it is a constant.
 */
export interface ResampledCell {
  readonly value: number;
  readonly resamples: ArrayLike<number> | null;
  /** True if the value comes from `fitOwnCells`. It then moves with the model's other cells. */
  readonly estimated?: boolean;
  /** The errors of a fitted value in the draws, independent of other cells. Default: none. */
  readonly fitErrors?: ArrayLike<number>;
}

/**
 * Cells by metric of the board, then by dataset. Metrics with coefficient 0 and datasets of weight
 * 0 may be left empty.
 */
export type ResampledRow = readonly (readonly (ResampledCell | null | undefined)[])[];

export interface ResampledScoresOptions {
  readonly metrics: readonly BoardMetric[];
  /** The coefficients of the ranking by metric. Weights and exchange rates are constant. */
  readonly coefficients: ArrayLike<number>;
  /** Weight by dataset. */
  readonly datasetWeights: ArrayLike<number>;
  readonly draws?: number;
}

/**
 * Returns the Dynascore of each row in each draw, Σ_k coefficient_k · u_k(Σ_d w_d x_dkr / Σ_d w_d).
 * Draw r is the same draw of examples for every model, so rows can be compared draw by draw. Null
 * for a row without draws in any counting cell.
 *
 * @throws RangeError if a counting cell is missing or has fewer draws than `draws` (default 1000)
 */
export function resampledScores(
  rows: readonly ResampledRow[],
  options: ResampledScoresOptions,
): readonly (Float64Array | null)[] {
  return rows.map((row) => scoresOf(row, options));
}

function scoresOf(row: ResampledRow, options: ResampledScoresOptions): Float64Array | null {
  const { metrics, coefficients, datasetWeights, draws = 1000 } = options;
  const scores = new Float64Array(draws);
  const mean = new Float64Array(draws);
  let constant = 0;
  let isResampled = false;
  for (const [column, metric] of metrics.entries()) {
    const coefficient = coefficients[column]!;
    if (coefficient === 0) continue;

    const terms = termsOf(row[column] ?? [], datasetWeights);
    const { utilityOf } = utilityRule(metric);
    if (terms.moving.length === 0) {
      constant += coefficient * utilityOf(terms.constant);
      continue;
    }
    isResampled = true;
    mean.fill(terms.constant);
    for (const { share, resamples } of terms.moving) add(mean, share, resamples);
    for (let draw = 0; draw < draws; draw++) scores[draw]! += coefficient * utilityOf(mean[draw]!);
  }
  if (!isResampled) return null;

  for (let draw = 0; draw < draws; draw++) scores[draw]! += constant;
  return scores;
}

/** An aggregate as `constant` + Σ share · resamples. */
interface Terms {
  readonly constant: number;
  readonly moving: readonly { readonly share: number; readonly resamples: ArrayLike<number> }[];
}

function termsOf(cells: readonly (ResampledCell | null | undefined)[], weights: ArrayLike<number>): Terms {
  const weighed = Array.from(weights, (weight, dataset) => ({ weight, cell: cells[dataset] })).filter(
    ({ weight }) => weight > 0,
  );
  const sum = weighed.reduce((before, { weight }) => before + weight, 0);
  const fitted = weighed.filter(({ cell }) => cell?.estimated).reduce((before, { weight }) => before + weight, 0);
  // a fitted value is the mean of the model's other cells plus a constant
  const echo = fitted / (sum - fitted);

  let constant = 0;
  const moving: { share: number; resamples: ArrayLike<number> }[] = [];
  for (const { weight, cell } of weighed) {
    if (!cell) throw new RangeError('a ranked model must have a value on every weighted dataset');
    const share = weight / sum;
    if (cell.fitErrors) moving.push({ share, resamples: cell.fitErrors });
    if (cell.estimated || !cell.resamples) constant += share * cell.value;
    else {
      constant -= share * echo * cell.value;
      moving.push({ share: share * (1 + echo), resamples: cell.resamples });
    }
  }
  return { constant, moving };
}

function add(sums: Float64Array, share: number, resamples: ArrayLike<number>): void {
  if (resamples.length < sums.length) throw new RangeError(`${sums.length} draws are needed, not ${resamples.length}`);

  for (let draw = 0; draw < sums.length; draw++) sums[draw]! += share * resamples[draw]!;
}
