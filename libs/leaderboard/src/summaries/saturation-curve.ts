import type { SaturationView } from '@assay/contracts/annotating';
import { declareMetric, type Estimate } from '@assay/contracts/metrics';
import { aggregate, saturation } from '@assay/scoring/board';
import type { BoardContent, BoardDataset, BoardModel } from '../boards/board-content.js';
import { OFFICIAL, officialBoard, weigh } from '../boards/weighed-board.js';

type Curve = Omit<SaturationView['overall'], 'datasets'>;

interface Performed {
  readonly model: BoardModel;
  readonly value: number;
}

/**
 * Returns the curve of one dataset. Own cells are excluded: examples collected against a model are
 * wrong for it by construction.
 */
export function datasetCurve(content: BoardContent, dataset: BoardDataset): Curve {
  const performed = content.models.flatMap((model): Performed[] => {
    const value = model.cells[dataset.name]?.[content.performance]?.value;
    return value === undefined || model.own?.includes(dataset.name) ? [] : [{ model, value }];
  });
  return curve(content, performed, humanEstimate(dataset, content.performance)?.value ?? null);
}

/**
 * Returns the curve over the datasets that have both a weight and a human figure. If none has a
 * human figure: over all datasets with a weight, without the human level.
 */
export function overallCurve(content: BoardContent): SaturationView['overall'] {
  const weights = officialBoard(content).datasetWeights;
  const known = content.datasets.filter(
    (dataset) => (weights[dataset.name] ?? 0) > 0 && humanEstimate(dataset, content.performance) !== null,
  );
  const others = Object.keys(weights).filter((name) => !known.some((dataset) => dataset.name === name));
  const weighed = weigh(content, {
    ...OFFICIAL,
    datasets: known.length === 0 ? {} : Object.fromEntries(others.map((name) => [name, 0])),
    ownRounds: 'adjust',
  });
  const { board, datasetWeights } = weighed;
  const performed = content.models.map((model, row) => ({
    model,
    value: board.values[row * board.metrics.length + board.performance]!,
  }));
  const human = Object.fromEntries(known.map((each) => [each.name, humanEstimate(each, content.performance)]));
  return {
    datasets: known.map(({ name }) => name),
    ...curve(
      content,
      performed.filter(({ value }) => !Number.isNaN(value)),
      known.length === 0 ? null : aggregate(human, datasetWeights).estimate!.value,
    ),
  };
}

function curve(content: BoardContent, performed: readonly Performed[], human: number | null): Curve {
  const { direction } = declareMetric(content.performance, content.performance)!;
  const dated = performed
    .flatMap(({ model, value }) => (model.acceptedAt === undefined ? [] : [{ model, value, at: model.acceptedAt }]))
    .toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
  const first = dated[0]?.value ?? null;
  const points = saturation(
    dated.map(({ value }) => value),
    human,
    direction,
  );
  return {
    first,
    human,
    reason: reasonOf(first, human),
    points: points.map(({ place, best, saturation: value }) => {
      const { model, at } = dated[place]!;
      return { at, model: { id: model.id, name: model.name, owner: model.owner }, best, saturation: value };
    }),
  };
}

function reasonOf(first: number | null, human: number | null): Curve['reason'] {
  if (human === null) return 'no_human_figure';
  if (first === null) return 'no_model';
  return first === human ? 'first_equals_human' : null;
}

/** Returns the human performance on a dataset of a board; null if it is not known. */
export function humanEstimate({ human }: BoardDataset, metric: string): Estimate | null {
  const figure = human?.[metric];
  return figure ? { value: figure.value, low: figure.low, high: figure.high } : null;
}
