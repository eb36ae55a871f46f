import { type Estimate, type LeaderboardQuery, sliceMetric, type Weights } from '@assay/contracts';
import { DomainError } from '@assay/kernel';
import {
  aggregateInterval,
  type Board,
  type Calibration,
  RankableMatrix,
  rankingAmong,
  type Ranking,
} from '@assay/scoring';
import { LRUCache } from 'lru-cache';
import type { BoardContent, BoardModel } from './board-content.js';
import { prepareContent, type PreparedBoard } from './prepared-board.js';

/** AMRS is kept from this many ranked models on; below, it is taken anew with each revision. */
export const KEPT_FROM = 10;

export interface Weighing {
  readonly weights: Readonly<Record<string, number>>;
  readonly datasets: Readonly<Record<string, number>>;
  readonly amrs: 'official' | 'live';
  /** Undefined: as the task says. */
  readonly ownRounds?: 'adjust' | 'count' | undefined;
  /** `clean`: only models that are clean on every dataset that weighs. */
  readonly exposure?: 'clean' | undefined;
}

/** A board under some weights, in order. */
export interface WeighedBoard {
  readonly prepared: PreparedBoard;
  readonly rankable: RankableMatrix;
  readonly datasetWeights: Readonly<Record<string, number>>;
  readonly weights: Weights;
  /** What it is ranked with: a metric that no weighed dataset defines weighs nothing. */
  readonly effective: Weights;
  readonly board: Board;
  readonly calibration: Pick<Calibration, 'amrs' | 'degenerate'>;
  readonly ranking: Ranking;
  /** Ranked models that `exposure` keeps out. */
  readonly leftOut: number;
  readonly provisional: boolean;
}

/** The task's own weighing. */
export const OFFICIAL: Weighing = { weights: {}, datasets: {}, amrs: 'official' };

/** The weighing of a request, in which what is not named is the task's. */
export function weighingOf(
  query: Pick<LeaderboardQuery, 'amrs'> &
    Partial<Pick<LeaderboardQuery, 'weights' | 'datasets' | 'ownRounds' | 'exposure'>>,
): Weighing {
  return {
    weights: query.weights ?? {},
    datasets: query.datasets ?? {},
    amrs: query.amrs,
    ownRounds: query.ownRounds,
    exposure: query.exposure,
  };
}

/**
 * Applies weights to a board; what the weighing does not name keeps the task's.
 * Throws as `weightsOf` and `datasetWeights` of scoring; `unknown_metric` names a field that is no slicing field.
 */
export function weigh(content: BoardContent, weighing: Weighing): WeighedBoard {
  checkSliceMetrics(content, weighing.weights);
  const prepared = prepareContent(content);
  const rankable = rankableOf(prepared, weighing);
  const { ranking, ...ranked } = rankable.rank(weighing);
  const clean = weighing.exposure === 'clean' ? cleanOnly(content, rankable, ranking) : ranking;
  return {
    prepared,
    rankable,
    datasetWeights: rankable.datasetWeights,
    ...ranked,
    board: rankable.board,
    ranking: clean,
    leftOut: ranking.order.length - clean.order.length,
    provisional: content.amrs === null,
  };
}

const rankables = new WeakMap<PreparedBoard, LRUCache<string, RankableMatrix>>();
/** Weighings of the datasets whose aggregates are kept for each content in memory. */
const KEPT_WEIGHINGS = 4;

function rankableOf(prepared: PreparedBoard, { datasets, ownRounds }: Weighing): RankableMatrix {
  const key = JSON.stringify([Object.entries(datasets).sort(), ownRounds ?? prepared.matrix.aggregate.ownRounds]);
  const kept = rankables.get(prepared) ?? new LRUCache<string, RankableMatrix>({ max: KEPT_WEIGHINGS });
  rankables.set(prepared, kept);
  const known = kept.get(key);
  if (known) return known;

  const fresh = new RankableMatrix(prepared.matrix, { datasets, ownRounds });
  kept.set(key, fresh);
  return fresh;
}

function checkSliceMetrics(content: BoardContent, weights: Readonly<Record<string, number>>): void {
  for (const [name, weight] of Object.entries(weights)) {
    const slices = sliceMetric(name);
    if (!slices || weight === 0 || content.metrics.includes(name)) continue;
    const fields = content.metrics.flatMap((metric) => sliceMetric(metric)?.field ?? []);
    const known = fields.length > 0 ? `it slices by ${[...new Set(fields)].join(', ')}` : 'it slices by none';
    const message = `There is no metric "${name}": "${slices.field}" is no slicing field of this task; ${known}.`;
    throw new DomainError('invalid', 'unknown_metric', message);
  }
}

/** Whether no data of any dataset that weighs was public when the model was submitted. What is not known is not clean. */
export const isClean = (model: BoardModel, datasetWeights: Readonly<Record<string, number>>): boolean =>
  Object.entries(datasetWeights).every(([name, weight]) => weight === 0 || model.exposure?.[name] === 'clean');

/** The ranking of the clean models among themselves. */
function cleanOnly(content: BoardContent, { datasetWeights }: RankableMatrix, ranking: Ranking): Ranking {
  return rankingAmong(ranking, (row) => isClean(content.models[row]!, datasetWeights));
}

const aggregates = new WeakMap<RankableMatrix, Map<number, Readonly<Record<string, Estimate>>>>();

/** The aggregates of the model at `index` of the content, by metric; those that it lacks are not there. */
export function aggregatesOf({ prepared, rankable }: WeighedBoard, index: number): Readonly<Record<string, Estimate>> {
  const known = aggregates.get(rankable) ?? new Map<number, Readonly<Record<string, Estimate>>>();
  aggregates.set(rankable, known);
  const found = known.get(index) ?? estimatesOf(rankable, index, prepared.content.models[index]!);
  known.set(index, found);
  return found;
}

function estimatesOf(
  rankable: RankableMatrix,
  index: number,
  { cells }: BoardModel,
): Readonly<Record<string, Estimate>> {
  const { board, standardErrors, estimated } = rankable.aggregated;
  const weighed = rankable.matrix.datasets.filter((dataset) => rankable.datasetWeights[dataset.name]! > 0);
  const found: Record<string, Estimate> = {};
  for (const [column, { name, range }] of rankable.matrix.metrics.entries()) {
    const cell = index * board.metrics.length + column;
    const value = board.values[cell]!;
    if (Number.isNaN(value)) continue;
    const interval = aggregateInterval(value, standardErrors[cell]!, range);
    found[name] = {
      value,
      low: interval?.low ?? null,
      high: interval?.high ?? null,
      standardError: interval ? standardErrors[cell]! : null,
      ...(estimated[cell] === 1 && { estimated: true }),
      ...(weighed.some((dataset) => cells[dataset.name]?.[name]?.contended) && { contended: true }),
    };
  }
  return found;
}

const officialBoards = new WeakMap<BoardContent, WeighedBoard>();

/** The board by the task's own weighing; made once for as long as the content is in memory. */
export function officialBoard(content: BoardContent): WeighedBoard {
  const board = officialBoards.get(content) ?? weigh(content, OFFICIAL);
  officialBoards.set(content, board);
  return board;
}

const officialRanks = new WeakMap<BoardContent, Int32Array>();

/** By place in the content: the rank with the task's own weights; 0: none. */
export function officialRanksOf(content: BoardContent): Int32Array {
  const known = officialRanks.get(content);
  if (known) return known;

  const { ranking } = officialBoard(content);
  const ranks = new Int32Array(content.models.length);
  for (const [place, index] of ranking.order.entries()) ranks[index] = ranking.rank[place]!;
  officialRanks.set(content, ranks);
  return ranks;
}

/** The AMRS to keep for the benchmark version: once enough models are ranked by the task's own weights. */
export function amrsToKeep(content: BoardContent): Readonly<Record<string, number>> | null {
  const median = officialRates(content);
  return median.models >= KEPT_FROM && !median.degenerate ? median.amrs : null;
}

/** The median exchange rates of the models that the task's own weights rank, with the pairs that they come from. */
export function officialRates(content: BoardContent): Calibration {
  const { rankable } = officialBoard(content);
  return rankable.calibrate(rankable.official, 'median');
}
