import { utilityRule, type BoardMetric } from './utility.js';

/** A metric of a model on a dataset, with what it came to in the bootstrap's draws; without draws it is a constant. */
export interface ResampledCell {
  readonly value: number;
  readonly resamples: ArrayLike<number> | null;
  /** The value is that of `fitOwnCells`: it moves with the model's other cells. */
  readonly estimated?: boolean;
}

/** By metric of the board, then by dataset of non-zero weight. Metrics that do not count may be left empty. */
export type ResampledRow = readonly (readonly (ResampledCell | null | undefined)[])[];

export interface ResampledScoresOptions {
  readonly metrics: readonly BoardMetric[];
  /** By metric, those of the ranking: weights and exchange rates are fixed. */
  readonly coefficients: ArrayLike<number>;
  /** By dataset. */
  readonly datasetWeights: ArrayLike<number>;
  readonly draws?: number;
}

/**
 * The Dynascore of each row in each draw, Σ_k coefficient_k · u_k(Σ_d w_d x_dkr / Σ_d w_d): draw r is the same draw of examples for every
 * model, so the rows can be compared draw by draw. Null for a row in which no counting cell has draws. Throws a RangeError where a cell has
 * fewer draws than `draws` (default 1000), or a counting cell is missing.
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
    if (!cell) throw new RangeError('a ranked model has a value on every dataset that weighs');
    const share = weight / sum;
    if (cell.estimated || !cell.resamples) constant += share * cell.value;
    else {
      constant -= share * echo * cell.value;
      moving.push({ share: share * (1 + echo), resamples: cell.resamples });
    }
  }
  return { constant, moving };
}

function add(sums: Float64Array, share: number, resamples: ArrayLike<number>): void {
  if (resamples.length < sums.length) throw new RangeError(`${resamples.length} of ${sums.length} draws are there`);

  for (let draw = 0; draw < sums.length; draw++) sums[draw]! += share * resamples[draw]!;
}
