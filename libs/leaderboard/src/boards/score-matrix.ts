import { declareMetric, isCostMetric, sliceMetric } from '@assay/contracts/metrics';
import { remembered } from '@assay/kernel';
import { type BoardMatrix, type MatrixMetric, standardErrorOf } from '@assay/scoring/board';
import { findMetric } from '@assay/scoring/metrics';
import { mostFrequentHardware } from './board-cells.js';
import type { BoardContent, BoardDataset, BoardModel } from './board-content.js';
import { datasetReferences } from './dataset-references.js';

/** The scores and costs of all models of a board on all its datasets, as columns. */
export interface ScoreMatrix {
  readonly content: BoardContent;
  readonly matrix: BoardMatrix;
  /**
   * The hardware class whose costs the board compares. Null if nothing was measured, or the
   * revision does not record it.
   */
  readonly hardware: string | null;
  /** The position of each model in the content, by ID. */
  readonly places: ReadonlyMap<string, number>;
}

const matrices = new WeakMap<BoardContent, ScoreMatrix>();

/** Returns the matrix of a content. Cached while the content is in memory. */
export function scoreMatrixOf(content: BoardContent): ScoreMatrix {
  return remembered(matrices, content, () => {
    const hardware = comparedHardware(content);
    const places = new Map(content.models.map(({ id }, place) => [id, place]));
    return { content, hardware, matrix: matrixOf(content, hardware), places };
  });
}

function matrixOf(content: BoardContent, hardware: string | null): BoardMatrix {
  const datasets = content.datasets.filter(isScoring);
  const metrics = content.metrics.map((name) => matrixMetric(content, name));
  const { values, errors } = columnsOf(content, datasets, metrics, hardware);
  const own = new Uint8Array(content.models.length * datasets.length);
  for (const [place, model] of content.models.entries()) {
    if (!model.own?.length) continue;
    for (const [column, { name }] of datasets.entries())
      own[place * datasets.length + column] = Number(model.own.includes(name));
  }
  return {
    ids: content.models.map(({ id }) => id),
    metrics,
    performance: content.performance,
    datasets: datasets.map(weighedDataset),
    aggregate: content.aggregate,
    weights: content.weights,
    ...(content.exchange && { exchange: content.exchange }),
    ...baselinesOf(content, datasets),
    ...(content.rules && { rules: content.rules }),
    amrs: content.amrs,
    spreads: content.spreads ?? {},
    values,
    errors,
    own,
    isUndefined: Uint8Array.from(
      metrics.flatMap(({ name }) => datasets.map((dataset) => (dataset.undefinedMetrics?.includes(name) ? 1 : 0))),
    ),
  };
}

/**
 * Returns the baselines of the board: the better of the reference rows majority and random where gold
 * labels are known, and the model that the owner named. None without any, and on boards from before
 * there was a baseline.
 */
function baselinesOf(content: BoardContent, datasets: readonly BoardDataset[]): Pick<BoardMatrix, 'baselines'> | null {
  if (content.rules === undefined) return null;
  const { performance, models } = content;
  const references = datasets.map((dataset) => datasetReferences(dataset, [performance]));
  const baseline = models.find(({ id }) => id === content.baseline);
  const rows = [
    ...(['majority', 'random'] as const).map((name) =>
      references.map((each) => each.find((row) => row.name === name)?.metrics[performance] ?? null),
    ),
    datasets.map(({ name }) => baseline?.cells[name]?.[performance]?.value ?? null),
  ].filter((values) => values.some((value) => value !== null));
  if (rows.length === 0) return null;
  const clean = new Uint8Array(models.length * datasets.length);
  let place = 0;
  for (const { exposure } of models) {
    for (const { name } of datasets) clean[place++] = exposure?.[name] === 'clean' ? 1 : 0;
  }
  return { baselines: { rows, clean } };
}

function matrixMetric(content: BoardContent, name: string): MatrixMetric {
  const { unit, direction } = declareMetric(name, content.performance)!;
  const range = rangeOf(name, content.performance);
  const curve = content.utilities?.[name];
  return {
    name,
    unit,
    direction,
    isScore: !isCostMetric(name),
    ...(range && { range }),
    ...(name === 'memory' && { limit: content.memoryLimit }),
    ...(curve && { curve }),
  };
}

/**
 * Returns the range of the values of a metric: for the worst slice the range of the performance
 * metric, for a slice gap [0, width of that range], otherwise the declared range or [0, 1]. Costs
 * have none.
 */
function rangeOf(name: string, performance: string): readonly [number, number] | undefined {
  if (isCostMetric(name)) return undefined;
  const slices = sliceMetric(name);
  if (!slices) return findMetric(name)?.range ?? [0, 1];

  const range = findMetric(performance)?.range;
  return slices.kind === 'worst' || !range ? range : [0, range[1] - range[0]];
}

/** Returns the values and standard errors per metric: models × datasets, NaN if missing. */
function columnsOf(
  { models }: BoardContent,
  datasets: readonly BoardDataset[],
  metrics: readonly MatrixMetric[],
  hardware: string | null,
): { readonly values: Float64Array[]; readonly errors: Float64Array[] } {
  const column = () => new Float64Array(models.length * datasets.length).fill(NaN);
  const values = metrics.map(column);
  const errors = metrics.map(column);
  let place = 0;
  // model by model, because the cells of one model are near each other in memory
  for (const model of models) {
    const hasCosts = isCompared(model, hardware);
    for (const { name: dataset } of datasets) {
      const cells = model.cells[dataset];
      if (cells) {
        for (const [index, { name, isScore }] of metrics.entries()) {
          const cell = isScore || hasCosts ? cells[name] : undefined;
          if (!cell) continue;
          values[index]![place] = cell.value;
          errors[index]![place] = standardErrorOf(cell) ?? NaN;
        }
      }
      place += 1;
    }
  }
  return { values, errors };
}

/**
 * Returns the hardware class of the most models that have a score on every scoring dataset. Among
 * equally frequent classes the one with the newest model. Only costs of the same class are
 * comparable.
 */
function comparedHardware(content: BoardContent): string | null {
  const scoring = content.datasets.filter(isScoring);
  const isWhole = ({ cells }: BoardModel) => scoring.every(({ name }) => cells[name]?.[content.performance]);
  return mostFrequentHardware(
    content.models.flatMap((model) =>
      model.hardware && isWhole(model) ? [{ hardware: model.hardware, at: model.acceptedAt ?? '' }] : [],
    ),
  );
}

/**
 * Returns whether the costs of a model are compared with those of the others. A revision without
 * recorded hardware classes compares all costs.
 */
export const isCompared = (model: BoardModel, hardware: string | null): boolean =>
  !model.hardware || hardware === null || model.hardware === hardware;

export const isScoring = (dataset: BoardDataset): boolean => dataset.use === 'scoring';

const weighedDataset = (dataset: BoardDataset) => ({
  name: dataset.name,
  role: dataset.role,
  examples: dataset.examples,
  ...(dataset.round !== null && { round: dataset.round }),
});
