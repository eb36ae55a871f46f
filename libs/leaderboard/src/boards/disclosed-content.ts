import { type Estimate, isCostMetric } from '@assay/contracts/metrics';
import { roundedEstimate } from '@assay/scoring/disclosure';
import type { BoardContent, BoardModel } from './board-content.js';

/**
 * Returns the content of a board as everybody may see it: without exact scores on the datasets whose
 * scores are rounded. Their resampled values are left out as well, because rank intervals that are
 * drawn from them would depend on the exact scores. Everything else that a board shows is computed
 * from the content, and thus from the rounded scores. Returns `content` itself if nothing is rounded.
 */
export function disclosedContent(content: BoardContent): BoardContent {
  const examples = new Map(
    content.datasets.flatMap((dataset) => (dataset.rounded ? [[dataset.name, dataset.examples]] : [])),
  );
  return examples.size === 0
    ? content
    : { ...content, models: content.models.map((model) => disclosedModel(model, examples)) };
}

const disclosedModels = new WeakMap<BoardModel, { readonly key: string; readonly disclosed: BoardModel }>();

/**
 * Cached while the model is in memory.
 * @param examples the number of examples of each dataset whose scores are rounded, by name
 */
function disclosedModel(model: BoardModel, examples: ReadonlyMap<string, number>): BoardModel {
  const key = JSON.stringify([...examples]);
  const known = disclosedModels.get(model);
  if (known?.key === key) return known.disclosed;
  const disclosed = roundedModel(model, examples);
  disclosedModels.set(model, { key, disclosed });
  return disclosed;
}

function roundedModel(model: BoardModel, examples: ReadonlyMap<string, number>): BoardModel {
  const { resamples = {}, cells } = model;
  return {
    ...model,
    resamples: Object.fromEntries(Object.entries(resamples).filter(([dataset]) => !examples.has(dataset))),
    cells: Object.fromEntries(
      Object.entries(cells).map(([dataset, cell]) => {
        const n = examples.get(dataset);
        return [dataset, n === undefined ? cell : roundedCell(cell, n)];
      }),
    ),
  };
}

const roundedCell = (cell: BoardModel['cells'][string], n: number): Record<string, Estimate> =>
  Object.fromEntries(
    Object.entries(cell).map(([metric, estimate]) => [
      metric,
      isCostMetric(metric) ? estimate : roundedEstimate(estimate, n),
    ]),
  );
