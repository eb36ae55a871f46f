import { type LeaderboardQuery } from '@assay/contracts/boards';
import { type Estimate, sliceMetric } from '@assay/contracts/metrics';
import { type Weights } from '@assay/contracts/tasks';
import { DomainError, remembered } from '@assay/kernel';
import {
  aggregateInterval,
  type Board,
  type Calibration,
  type MatrixRanking,
  RankableMatrix,
  rankingAmong,
  type Ranking,
} from '@assay/scoring/board';
import { type BoardContent, type BoardModel, type BoardSchema, schemaOf } from './board-content.js';
import { scoreMatrixOf, type ScoreMatrix } from './score-matrix.js';

/**
 * The number of ranked models from which the exchange rates (AMRS) are stored with the benchmark
 * version. With fewer, each revision computes them again.
 */
const STORED_FROM = 10;

export interface Weighing {
  readonly weights: Readonly<Record<string, number>>;
  readonly datasets: Readonly<Record<string, number>>;
  readonly amrs: 'official' | 'live';
  /** Undefined: the rule of the task. */
  readonly ownRounds?: 'adjust' | 'count' | undefined;
  /** `clean`: only models that are clean on every weighted dataset. */
  readonly exposure?: 'clean' | undefined;
}

/** A board ranked by some weights. */
export interface WeighedBoard {
  readonly schema: BoardSchema;
  /** The version of the rules within schema 2. */
  readonly rules: 1 | 2;
  readonly scores: ScoreMatrix;
  readonly rankable: RankableMatrix;
  readonly datasetWeights: Readonly<Record<string, number>>;
  readonly weights: Weights;
  /** The weights that rank. A metric that is not defined on any weighted dataset has weight 0. */
  readonly effective: Weights;
  /** The board that is ranked: its utilities are in points where exchange rates are fixed. */
  readonly board: Board;
  /** The exchange rates (AMRS); null where they are fixed. */
  readonly calibration: MatrixRanking['calibration'];
  readonly ranking: Ranking;
  /** The models below the baseline, by score; null where there is no baseline. */
  readonly below: Ranking | null;
  /** The number of complete models that the `exposure` filter excludes. */
  readonly leftOut: number;
  /** Schema 1: whether the exchange rates still move with every model. Absent in schema 2. */
  readonly provisional?: boolean;
}

/** The task's own weighing. */
export const OFFICIAL: Weighing = { weights: {}, datasets: {}, amrs: 'official' };

/** Returns whether a weighing sets nothing, so that everything is as the task sets it. */
export const isOfficial = ({ weights, datasets, amrs, ownRounds, exposure }: Weighing): boolean =>
  Object.keys(weights).length + Object.keys(datasets).length === 0 &&
  amrs === 'official' &&
  ownRounds === undefined &&
  exposure === undefined;

/** Returns the weighing of a request. Values that it does not set default to those of the task. */
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
 * Applies weights to a board. Values that the weighing does not set default to those of the task.
 * @throws DomainError as `weightsOf` and `datasetWeights` of scoring; `unknown_metric` also if a
 * slice metric names a field that is not a slicing field
 */
export function weigh(content: BoardContent, weighing: Weighing): WeighedBoard {
  checkSliceMetrics(content, weighing.weights);
  const scores = scoreMatrixOf(content);
  const rankable = rankableOf(scores, weighing);
  const { ranking, below, ...ranked } = rankable.rank(weighing);
  const { datasetWeights } = rankable;
  const shown = (rows: Ranking): Ranking =>
    weighing.exposure === 'clean' ? rankingAmong(rows, (row) => isClean(content.models[row]!, datasetWeights)) : rows;
  const [clean, cleanBelow] = [shown(ranking), below && shown(below)];
  return {
    schema: schemaOf(content),
    rules: content.rules ?? 1,
    scores,
    rankable,
    datasetWeights,
    ...ranked,
    ranking: clean,
    below: cleanBelow,
    leftOut: ranking.order.length - clean.order.length + (below ? below.order.length - cleanBelow!.order.length : 0),
    ...(schemaOf(content) === 1 && { provisional: content.amrs === null }),
  };
}

const rankables = new WeakMap<ScoreMatrix, RankableMatrix>();

/** Returns the aggregates of a matrix. Those with the task's dataset weights are cached. */
function rankableOf(scores: ScoreMatrix, { datasets, ownRounds }: Weighing): RankableMatrix {
  if (ownRounds || Object.keys(datasets).length > 0) return new RankableMatrix(scores.matrix, { datasets, ownRounds });
  return remembered(rankables, scores, () => new RankableMatrix(scores.matrix, { datasets, ownRounds }));
}

function checkSliceMetrics(content: BoardContent, weights: Readonly<Record<string, number>>): void {
  for (const [name, weight] of Object.entries(weights)) {
    const slices = sliceMetric(name);
    if (!slices || weight === 0 || content.metrics.includes(name)) continue;
    const fields = content.metrics.flatMap((metric) => sliceMetric(metric)?.field ?? []);
    const known = fields.length > 0 ? `it slices by ${[...new Set(fields)].join(', ')}` : 'it has none';
    const message = `Unknown metric "${name}". "${slices.field}" is not a slicing field of this task; ${known}.`;
    throw new DomainError('invalid', 'unknown_metric', message);
  }
}

/**
 * Returns whether no weighted dataset had public data when the model was submitted. Unknown
 * contamination is not clean.
 */
const isClean = (model: BoardModel, datasetWeights: Readonly<Record<string, number>>): boolean =>
  Object.entries(datasetWeights).every(([name, weight]) => weight === 0 || model.exposure?.[name] === 'clean');

/**
 * Returns the aggregates of the model at `index` of the content, by metric. Metrics that it lacks
 * are absent.
 */
export function aggregatesOf({ scores, rankable }: WeighedBoard, index: number): Readonly<Record<string, Estimate>> {
  const { cells } = scores.content.models[index]!;
  const { board, standardErrors, estimated } = rankable.aggregated;
  const weighed = rankable.matrix.datasets.filter((dataset) => rankable.datasetWeights[dataset.name]! > 0);
  const found: Record<string, Estimate> = {};
  for (const [column, { name, range }] of rankable.matrix.metrics.entries()) {
    const cell = index * board.metrics.length + column;
    const value = board.values[cell]!;
    if (Number.isNaN(value)) continue;
    const interval = aggregateInterval(value, standardErrors[cell]!, range);
    const why = weighed.map((dataset) => cells[dataset.name]?.[name]?.why).find((each) => each !== undefined);
    found[name] = {
      value,
      low: interval?.low ?? null,
      high: interval?.high ?? null,
      standardError: interval ? standardErrors[cell]! : null,
      ...(interval === null && why !== undefined && { why }),
      ...(estimated[cell] === 1 && { estimated: true }),
      ...(weighed.some((dataset) => cells[dataset.name]?.[name]?.contended) && { contended: true }),
      ...(weighed.some((dataset) => cells[dataset.name]?.[name]?.short) && { short: true }),
      ...(weighed.some((dataset) => cells[dataset.name]?.[name]?.rounded) && { rounded: true }),
    };
  }
  return found;
}

type Cells = BoardModel['cells'];

/**
 * Returns the cells of the model at `index` of the content by dataset name, as the board counts them:
 * fitted values replace the measured ones of datasets that were collected against the model. Under the
 * first rules the cells are as measured.
 */
export function countedCells(weighed: WeighedBoard, index: number): Cells {
  const { cells, own = [] } = weighed.scores.content.models[index]!;
  if (weighed.rules < 2 || own.length === 0) return cells;
  return Object.fromEntries(
    Object.entries(cells).map(([dataset, cell]) => [
      dataset,
      own.includes(dataset) ? { ...cell, ...fittedCell(weighed, index, dataset) } : cell,
    ]),
  );
}

/** Returns the fitted values of a cell by metric. Metrics that could not be fitted are absent. */
function fittedCell({ rankable, scores }: WeighedBoard, index: number, dataset: string): Record<string, Estimate> {
  const { matrix, aggregated } = rankable;
  const place = matrix.datasets.findIndex(({ name }) => name === dataset);
  const cell = index * matrix.datasets.length + place;
  const { cells } = scores.content.models[index]!;
  const found: Record<string, Estimate> = {};
  for (const [column, { name, range }] of matrix.metrics.entries()) {
    const measured = cells[dataset]![name];
    const value = place < 0 ? NaN : (aggregated.fitted[column]?.[cell] ?? NaN);
    if (!measured || Number.isNaN(value)) continue;
    const error = aggregated.fittedErrors[column]![cell]!;
    const interval = aggregateInterval(value, error, range);
    found[name] = {
      ...{ value, low: interval?.low ?? null, high: interval?.high ?? null },
      standardError: interval ? error : null,
      ...{ estimated: true, measured: measured.value },
      ...(Object.values(cells).some((each) => each[name]?.rounded) && { rounded: true }),
    };
  }
  return found;
}

interface Official {
  readonly board: WeighedBoard;
  /** The rank of each model of the content, in its order; 0 if unranked. */
  readonly ranks: Int32Array;
}

const officials = new WeakMap<BoardContent, Official>();

/** Ranks a content by the task's own weighing. Cached while the content is in memory. */
function officialOf(content: BoardContent): Official {
  return remembered(officials, content, () => {
    const board = weigh(content, OFFICIAL);
    const ranks = new Int32Array(content.models.length);
    for (const [place, index] of board.ranking.order.entries()) ranks[index] = board.ranking.rank[place]!;
    return { board, ranks };
  });
}

/** Returns the board under the task's own weighing. */
export const officialBoard = (content: BoardContent): WeighedBoard => officialOf(content).board;

/**
 * Returns the rank under the task's own weights for each model of the content, in its order; 0 if
 * unranked.
 */
export const officialRanksOf = (content: BoardContent): Int32Array => officialOf(content).ranks;

/**
 * Returns the exchange rates (AMRS) to store with a benchmark version of schema 1; null until enough
 * models are ranked under the task's own weights. Later schemas store none.
 */
export function amrsToKeep(content: BoardContent): Readonly<Record<string, number>> | null {
  if (schemaOf(content) > 1) return null;
  const median = officialRates(content);
  return median.models >= STORED_FROM && !median.degenerate ? median.amrs : null;
}

/**
 * Returns the median exchange rates of the models that are ranked under the task's own weights,
 * with the model pairs that determine them.
 */
export function officialRates(content: BoardContent): Calibration {
  const { rankable } = officialBoard(content);
  return rankable.calibrate(rankable.official, 'median');
}
