import { setImmediate as nextTurn } from 'node:timers/promises';
import { seededRng } from '@assay/kernel';
import {
  drawNormal,
  independentRanks,
  jointRanksInTurn,
  type RankableMatrix,
  type RankInterval,
  type ResampledCell,
  type ResampledRow,
  resampledScores,
} from '@assay/scoring';
import { LRUCache } from 'lru-cache';
import type { WeighedBoard } from './weighed-board.js';

/** Resampled values by metric, by the digest of their blob; undefined where they are not to be had. */
export type ResamplesLookup = (digest: string) => Readonly<Record<string, Float32Array>> | undefined;

/** Rows that get intervals; twice as many take part in the draws, so that those below can come up. */
export const CERTAIN_PLACES = 200;
const DRAWN_PLACES = 2 * CERTAIN_PLACES;
const DRAWS = 1000;

/** How sure the order is, by place. */
export interface RankCertainty {
  readonly intervals: readonly RankInterval[];
  /** Of the places in a group of more than one (a row and the consecutive rows below that are not separated from it), that of its head. */
  readonly tied: ReadonlyMap<number, number>;
}

/** Digests of the blobs that `rankCertainty` asks for. */
export function neededResamples(weighed: WeighedBoard): readonly string[] {
  const { content } = weighed.prepared;
  const datasets = Object.keys(weighed.datasetWeights).filter((name) => weighed.datasetWeights[name]! > 0);
  const rows = Array.from(weighed.ranking.order.subarray(0, DRAWN_PLACES), (index) => content.models[index]!);
  return [...new Set(rows.flatMap(({ resamples }) => datasets.flatMap((name) => resamples?.[name] ?? [])))];
}

/**
 * Intervals of the first places' ranks: from the joint resamples of the examples, where the cells have them. A row that lacks some is drawn from
 * a normal of its own; where all do, so is the whole board.
 */
export function rankCertainty(weighed: WeighedBoard, resamples: ResamplesLookup, seed: string): RankCertainty {
  const steps = certaintySteps(weighed, resamples, seed);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Milliseconds after which others have their turn. */
const TURN = 5;

/** The same, with turns for whatever else the process has to do: hundreds of models close to each other take a fifth of a second. */
export async function rankCertaintyInTurns(
  weighed: WeighedBoard,
  resamples: ResamplesLookup,
  seed: string,
): Promise<RankCertainty> {
  const steps = certaintySteps(weighed, resamples, seed);
  for (let since = performance.now(); ;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (performance.now() - since < TURN) continue;
    await nextTurn();
    since = performance.now();
  }
}

function* certaintySteps(
  weighed: WeighedBoard,
  resamples: ResamplesLookup,
  seed: string,
): Generator<void, RankCertainty> {
  const { ranking } = weighed;
  const rows = Array.from(ranking.order.subarray(0, DRAWN_PLACES), (index) => resampledRow(weighed, index, resamples));
  if (rows.every((row) => row === null)) {
    const intervals = independentRanks(weighed.board, ranking, { seed, places: CERTAIN_PLACES });
    return { intervals, tied: tieGroups(intervals) };
  }
  const scores: (Float64Array | null)[] = [];
  for (const [place, row] of rows.entries()) {
    scores.push(row ? jointScores(weighed, place, row) : independentScores(weighed, place, seed));
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

/** Draws of utilities that are kept for each weighing of the datasets: a metric of a model each. */
const KEPT_DRAWS = 4000;

const drawn = new WeakMap<RankableMatrix, LRUCache<number, Float64Array>>();

/** The Dynascore of a place in each draw, Σ coefficient · utility; null where nothing in it is drawn. */
function jointScores(weighed: WeighedBoard, place: number, row: ResampledRow): Float64Array | null {
  const { board, ranking } = weighed;
  const index = ranking.order[place]!;
  const width = board.metrics.length;
  const scores = new Float64Array(DRAWS);
  let constant = 0;
  let isDrawn = false;
  for (let column = 0; column < width; column++) {
    const coefficient = ranking.coefficients[column]!;
    if (coefficient === 0) continue;
    const utilities = utilityDraws(weighed, index, column, row);
    isDrawn ||= utilities !== null;
    if (utilities) for (let draw = 0; draw < DRAWS; draw++) scores[draw]! += coefficient * utilities[draw]!;
    else constant += coefficient * board.utilities[index * width + column]!;
  }
  if (!isDrawn) return null;

  for (let draw = 0; draw < DRAWS; draw++) scores[draw]! += constant;
  return scores;
}

/** The utility of one metric of a model in each draw; it depends on the weights of the datasets alone. Null: nothing in it is drawn. */
function utilityDraws(
  { rankable, board, datasetWeights }: WeighedBoard,
  index: number,
  column: number,
  row: ResampledRow,
): Float64Array | null {
  const kept = drawn.get(rankable) ?? new LRUCache<number, Float64Array>({ max: KEPT_DRAWS });
  drawn.set(rankable, kept);
  const key = index * board.metrics.length + column;
  const known = kept.get(key);
  if (known) return known;

  const [utilities] = resampledScores([row], {
    metrics: board.metrics,
    coefficients: board.metrics.map((_, other) => (other === column ? 1 : 0)),
    datasetWeights: rankable.matrix.datasets.map(({ name }) => datasetWeights[name]!),
    draws: DRAWS,
  });
  if (utilities) kept.set(key, utilities);
  return utilities ?? null;
}

/** The cells of a ranked model with their draws; null where a cell that counts and is not certain has none. */
function resampledRow(weighed: WeighedBoard, index: number, resamples: ResamplesLookup): ResampledRow | null {
  const { matrix, aggregated } = weighed.rankable;
  const model = weighed.prepared.content.models[index]!;
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
        // out of the mean: it moves with the cells that are in it
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

/** A Dynascore drawn by its standard error alone, as if the model had answered other examples than all others. */
function independentScores({ board, ranking }: WeighedBoard, place: number, seed: string): Float64Array | null {
  const index = ranking.order[place]!;
  const width = board.metrics.length;
  let error = NaN;
  for (let column = 0; column < width; column++) {
    const each = ranking.coefficients[column]! * board.errors[index * width + column]!;
    if (ranking.coefficients[column]! > 0 && each >= 0) error = (Number.isNaN(error) ? 0 : error) + each;
  }
  if (Number.isNaN(error)) return null;

  const rng = seededRng(`${seed} ${board.ids[index]!}`);
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
