import { type Estimate, METRICS, type Weights } from '@assay/contracts';
import {
  aggregate,
  type Board,
  type BoardMetric,
  type BoardRow,
  calibrate,
  type Calibration,
  datasetWeights,
  findMetric,
  prepareBoard,
  type Ranking,
  rankBoard,
} from '@assay/scoring';
import type { BoardContent, BoardDataset, BoardModel } from './board-content.js';

/** AMRS is kept from this many ranked models on; below, it is taken anew with each revision. */
export const KEPT_FROM = 10;

export interface Weighing {
  readonly weights: Readonly<Record<string, number>>;
  readonly datasets: Readonly<Record<string, number>>;
  readonly amrs: 'official' | 'live';
}

/** A board under some weights, in order. */
export interface WeighedBoard {
  readonly datasetWeights: Readonly<Record<string, number>>;
  readonly weights: Weights;
  readonly board: Board;
  readonly calibration: Pick<Calibration, 'amrs' | 'degenerate'>;
  readonly ranking: Ranking;
  /** Aggregates by model (in the order of the content) and metric. */
  readonly aggregates: readonly Readonly<Record<string, Estimate>>[];
  readonly provisional: boolean;
}

/** The task's own weighing. */
export const OFFICIAL: Weighing = { weights: {}, datasets: {}, amrs: 'official' };

/** Applies weights to a board; what the weighing does not name keeps the task's. Throws as `weightsOf` and `datasetWeights` of scoring. */
export function weigh(content: BoardContent, weighing: Weighing): WeighedBoard {
  const perDataset = datasetWeights(
    content.datasets.filter(isScoring).map(weighedDataset),
    content.aggregate,
    weighing.datasets,
  );
  const weights = { ...content.weights, ...weighing.weights };
  const metrics = content.metrics.map((name) => boardMetric(content, name));
  const aggregates = content.models.map((model) => aggregatesOf(content, model, perDataset));
  const rows = content.models.map((model, index) => boardRow(model.id, aggregates[index]!));
  const board = prepareBoard(rows, metrics, content.performance);
  const calibration =
    weighing.amrs === 'live' ? calibrate(board, weights, 'live') : officialCalibration(content, board, weights);
  return {
    datasetWeights: perDataset,
    weights,
    board,
    calibration,
    ranking: rankBoard(board, weights, calibration),
    aggregates,
    provisional: content.amrs === null,
  };
}

/** The AMRS of the benchmark version where it is kept, else the median over the models that the task's own weights rank. */
function officialCalibration(
  content: BoardContent,
  board: Board,
  weights: Weights,
): Pick<Calibration, 'amrs' | 'degenerate'> {
  const { degenerate } = calibrate(board, weights, 'median');
  return { amrs: content.amrs ?? calibrate(board, content.weights, 'median').amrs, degenerate };
}

/** The AMRS to keep for the benchmark version: once enough models are ranked by the task's own weights. */
export function amrsToKeep(content: BoardContent): Readonly<Record<string, number>> | null {
  const { board, weights } = weigh(content, OFFICIAL);
  const median = calibrate(board, weights, 'median');
  return median.models >= KEPT_FROM && !median.degenerate ? median.amrs : null;
}

function aggregatesOf(
  content: BoardContent,
  model: BoardModel,
  perDataset: Readonly<Record<string, number>>,
): Record<string, Estimate> {
  const found: Record<string, Estimate> = {};
  for (const name of content.metrics) {
    const cells = Object.fromEntries(
      content.datasets.map((dataset) => [dataset.name, model.cells[dataset.name]?.[name]]),
    );
    const { estimate } = aggregate(cells, perDataset, findMetric(name)?.range);
    if (estimate) found[name] = estimate;
  }
  return found;
}

const boardRow = (id: string, aggregates: Readonly<Record<string, Estimate>>): BoardRow => ({
  id,
  metrics: Object.fromEntries(Object.entries(aggregates).map(([name, { value }]) => [name, value])),
  standardErrors: Object.fromEntries(
    Object.entries(aggregates).map(([name, { standardError }]) => [name, standardError ?? null]),
  ),
});

function boardMetric(content: BoardContent, name: string): BoardMetric {
  const { unit, direction } = METRICS[name]!;
  return { name, unit, direction, ...(name === 'memory' && { limit: content.memoryLimit }) };
}

export const isScoring = (dataset: BoardDataset): boolean => dataset.use === 'scoring';

const weighedDataset = (dataset: BoardDataset) => ({
  name: dataset.name,
  role: dataset.role,
  examples: dataset.examples,
  ...(dataset.round !== null && { round: dataset.round }),
});
