import { setImmediate as nextTurn } from 'node:timers/promises';
import { atOnce, inTurns } from '@assay/scoring';
import { independentRanks, jointRanksInTurn, type RankFamily, type RankInterval } from '@assay/scoring/ranks';
import { familySteps } from './family-certainty.js';
import { independentScores, jointScores, resampledRow, type ResamplesLookup } from './score-draws.js';
import type { WeighedBoard } from './weighed-board.js';

/**
 * The number of rows that get rank intervals. Twice as many take part in the draws, so that lower
 * rows can move up.
 */
export const CERTAIN_PLACES = 200;
const DRAWN_PLACES = 2 * CERTAIN_PLACES;

/** The uncertainty of the ranks, by place. */
export type RankCertainty = GroupCertainty | { readonly family: RankFamily };

/** The uncertainty of the ranks in schema 1. */
export interface GroupCertainty {
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
  const places = weighed.schema > 1 ? CERTAIN_PLACES : DRAWN_PLACES;
  const rows = Array.from(weighed.ranking.order.subarray(0, places), (index) => content.models[index]!);
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
  if (weighed.schema > 1) return { family: yield* familySteps(weighed, seed, resamples, CERTAIN_PLACES) };
  return yield* groupSteps(weighed, seed, resamples);
}

function* groupSteps(weighed: WeighedBoard, seed: string, resamples: ResamplesLookup): Generator<void, GroupCertainty> {
  const { ranking } = weighed;
  const rows = Array.from(ranking.order.subarray(0, DRAWN_PLACES), (index) =>
    resampledRow(weighed, index, resamples, seed),
  );
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

function tieGroups(intervals: readonly RankInterval[]): ReadonlyMap<number, number> {
  const tied = new Map<number, number>();
  for (let head = 0; head < intervals.length;) {
    const last = Math.min(head + intervals[head]!.tie, intervals.length - 1);
    if (last > head) for (let place = head; place <= last; place++) tied.set(place, head);
    head = last + 1;
  }
  return tied;
}
