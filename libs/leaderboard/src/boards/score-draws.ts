import { seededRng } from '@assay/kernel';
import { drawNormal } from '@assay/scoring';
import { dynascoreError, type ResampledCell, type ResampledRow, resampledScores } from '@assay/scoring/ranks';
import type { WeighedBoard } from './weighed-board.js';

/**
 * Returns the resampled values of a blob by metric, given its digest; undefined if they are
 * unavailable.
 */
export type ResamplesLookup = (digest: string) => Readonly<Record<string, Float32Array>> | undefined;

/** The number of joint draws of the examples. */
export const DRAWS = 1000;

/** Returns the score of a ranked model in each draw; null if none of its metrics varies. */
export function jointScores({ rankable, board, datasetWeights, ranking }: WeighedBoard, row: ResampledRow) {
  const [scores] = resampledScores([row], {
    metrics: board.metrics,
    coefficients: ranking.coefficients,
    datasetWeights: rankable.matrix.datasets.map(({ name }) => datasetWeights[name]!),
    draws: DRAWS,
  });
  return scores ?? null;
}

/**
 * Returns the cells of a ranked model with their draws; null if draws are missing for a cell that
 * counts and is uncertain.
 *
 * @param seed of the errors of fitted values
 */
export function resampledRow(
  weighed: WeighedBoard,
  index: number,
  resamples: ResamplesLookup,
  seed: string,
): ResampledRow | null {
  const { matrix, aggregated } = weighed.rankable;
  const model = weighed.scores.content.models[index]!;
  const row: ResampledCell[][] = [];
  for (const [column, metric] of matrix.metrics.entries()) {
    const cells: ResampledCell[] = [];
    row.push(cells);
    if (weighed.ranking.coefficients[column] === 0) continue;
    for (const [place, { name }] of matrix.datasets.entries()) {
      if (weighed.datasetWeights[name] === 0) continue;
      const at = index * matrix.datasets.length + place;
      const fitted = aggregated.fitted[column];
      if (matrix.isUndefined[column * matrix.datasets.length + place] === 1) {
        // the metric is undefined on this dataset and left out of the mean: it varies with the
        // cells that are included
        cells[place] = {
          value: aggregated.board.values[index * matrix.metrics.length + column]!,
          resamples: null,
          estimated: true,
        };
      } else if (fitted && matrix.own[at] === 1) {
        const fitErrors = drawFitErrors(weighed, { index, column, place }, seed);
        cells[place] = { value: fitted[at]!, resamples: null, estimated: true, ...(fitErrors && { fitErrors }) };
      } else {
        const draws = drawsOf(model.resamples?.[name], metric.name, resamples);
        const isUncertain = metric.isScore && matrix.errors![column]![at] !== 0;
        if (!draws && isUncertain) return null;
        cells[place] = { value: matrix.values[column]![at]!, resamples: draws };
      }
    }
  }
  return row;
}

/**
 * Draws the error of a fitted value from a normal distribution, independently of all other cells. The
 * metrics of a cell share the draws: a model that does better on a dataset than the fit says does so in
 * all metrics. Null if the rules of the board leave these errors out.
 */
function drawFitErrors(
  { rankable: { matrix, aggregated }, scores }: WeighedBoard,
  { index, column, place }: { readonly index: number; readonly column: number; readonly place: number },
  seed: string,
): Float64Array | null {
  const error = aggregated.fitErrors[column]?.[index * matrix.datasets.length + place];
  if (error === undefined) return null;
  const rng = seededRng(`${seed} ${matrix.datasets[place]!.name} ${scores.content.models[index]!.id}`);
  const scale = matrix.metrics[column]!.direction === 'higher' ? error : -error;
  return Float64Array.from({ length: DRAWS }, () => scale * drawNormal(rng));
}

/**
 * Returns whether a fitted value that counts for a model has an unknown error, because there were too
 * few cells to fit it from.
 */
export function hasUnknownFit({ rankable, ranking, datasetWeights }: WeighedBoard, index: number): boolean {
  const { matrix, aggregated } = rankable;
  return aggregated.fitErrors.some(
    (errors, column) =>
      errors !== null &&
      ranking.coefficients[column] !== 0 &&
      matrix.datasets.some(({ name }, place) => {
        const cell = index * matrix.datasets.length + place;
        const counts = datasetWeights[name]! > 0 && !Number.isNaN(aggregated.fitted[column]![cell]!);
        return counts && matrix.own[cell] === 1 && Number.isNaN(errors[cell]!);
      }),
  );
}

export function drawsOf(
  digests: readonly string[] | undefined,
  metric: string,
  resamples: ResamplesLookup,
): Float32Array | null {
  for (const digest of digests ?? []) {
    const draws = resamples(digest)?.[metric];
    if (draws && draws.length >= DRAWS) return draws;
  }
  return null;
}

/**
 * Draws the score of a model from its standard error alone, independently of the other models, as
 * if it had answered different examples. Null if no metric has a standard error.
 */
export function independentScores({ board, ranking }: WeighedBoard, place: number, seed: string): Float64Array | null {
  const error = dynascoreError(board, ranking, place);
  if (Number.isNaN(error)) return null;

  const rng = seededRng(`${seed} ${board.ids[ranking.order[place]!]!}`);
  return Float64Array.from({ length: DRAWS }, () => ranking.dynascore[place]! + error * drawNormal(rng));
}
