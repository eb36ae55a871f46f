import { setImmediate as nextTurn } from 'node:timers/promises';
import { seededRng } from '@assay/kernel';
import { atOnce, drawNormal, inTurns } from '@assay/scoring';
import {
  dynascoreError,
  independentRanks,
  jointRanksInTurn,
  type RankInterval,
  type ResampledCell,
  type ResampledRow,
  resampledScores,
} from '@assay/scoring/ranks';
import type { WeighedBoard } from './weighed-board.js';

/**
 * Returns the resampled values of a blob by metric, given its digest; undefined if they are
 * unavailable.
 */
export type ResamplesLookup = (digest: string) => Readonly<Record<string, Float32Array>> | undefined;

/**
 * The number of rows that get rank intervals. Twice as many take part in the draws, so that lower
 * rows can move up.
 */
export const CERTAIN_PLACES = 200;
const DRAWN_PLACES = 2 * CERTAIN_PLACES;
const DRAWS = 1000;

/** The uncertainty of the ranks, by place. */
export interface RankCertainty {
  readonly intervals: readonly RankInterval[];
  /**
   * The place of the head of each tie group, by the places of its members. A group is a row with
   * the consecutive rows below it that are not separated from it; groups of one row are absent.
   */
  readonly tied: ReadonlyMap<number, number>;
}

/** Returns the digests of the blobs that `rankCertainty` needs. */
export function neededResamples(weighed: WeighedBoard): readonly string[] {
  const { content } = weighed.scores;
  const datasets = Object.keys(weighed.datasetWeights).filter((name) => weighed.datasetWeights[name]! > 0);
  const rows = Array.from(weighed.ranking.order.subarray(0, DRAWN_PLACES), (index) => content.models[index]!);
  return [...new Set(rows.flatMap(({ resamples }) => datasets.flatMap((name) => resamples?.[name] ?? [])))];
}

/**
 * Computes rank intervals for the first places from the joint resamples of the examples. A row that
 * lacks resamples is drawn independently from a normal distribution. If all rows lack them, so is
 * the whole board.
 */
export function rankCertainty(weighed: WeighedBoard, seed: string, resamples?: ResamplesLookup): RankCertainty {
  return atOnce(certaintySteps(weighed, seed, resamples));
}

/** Milliseconds after which the computation yields to other work. */
const TURN = 5;

/**
 * The same as `rankCertainty`, but yields regularly to other work of the process. Hundreds of
 * models with similar scores take about 200 ms.
 */
export function rankCertaintyInTurns(
  weighed: WeighedBoard,
  seed: string,
  resamples?: ResamplesLookup,
): Promise<RankCertainty> {
  let since = performance.now();
  return inTurns(certaintySteps(weighed, seed, resamples), async () => {
    if (performance.now() - since < TURN) return;
    await nextTurn();
    since = performance.now();
  });
}

function* certaintySteps(
  weighed: WeighedBoard,
  seed: string,
  resamples: ResamplesLookup = () => undefined,
): Generator<void, RankCertainty> {
  const { ranking } = weighed;
  const rows = Array.from(ranking.order.subarray(0, DRAWN_PLACES), (index) => resampledRow(weighed, index, resamples));
  if (rows.every((row) => row === null)) {
    const intervals = independentRanks(weighed.board, ranking, { seed, places: CERTAIN_PLACES });
    return { intervals, tied: tieGroups(intervals) };
  }
  const scores: (Float64Array | null)[] = [];
  for (const [place, row] of rows.entries()) {
    scores.push(row ? jointScores(weighed, row) : independentScores(weighed, place, seed));
    yield;
  }
  const input = { scores: ranking.dynascore.subarray(0, rows.length), resamples: scores };
  const intervals: RankInterval[] = [];
  for (const interval of jointRanksInTurn(input, { places: CERTAIN_PLACES, ties: 'groups' })) {
    intervals.push(interval);
    yield;
  }
  return { intervals, tied: tieGroups(intervals) };
}

/** Returns the score of a ranked model in each draw; null if none of its metrics varies. */
function jointScores({ rankable, board, datasetWeights, ranking }: WeighedBoard, row: ResampledRow) {
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
 */
function resampledRow(weighed: WeighedBoard, index: number, resamples: ResamplesLookup): ResampledRow | null {
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
        cells[place] = { value: fitted[at]!, resamples: null, estimated: true };
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

function drawsOf(
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
function independentScores({ board, ranking }: WeighedBoard, place: number, seed: string): Float64Array | null {
  const error = dynascoreError(board, ranking, place);
  if (Number.isNaN(error)) return null;

  const rng = seededRng(`${seed} ${board.ids[ranking.order[place]!]!}`);
  return Float64Array.from({ length: DRAWS }, () => ranking.dynascore[place]! + error * drawNormal(rng));
}

function tieGroups(intervals: readonly RankInterval[]): ReadonlyMap<number, number> {
  const tied = new Map<number, number>();
  for (let head = 0; head < intervals.length;) {
    const last = Math.min(head + intervals[head]!.tie, intervals.length - 1);
    if (last > head) for (let place = head; place <= last; place++) tied.set(place, head);
    head = last + 1;
  }
  return tied;
}
