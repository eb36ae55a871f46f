import { type LeaderboardView } from '@assay/contracts/boards';
import { type Estimate, isCostMetric, isPerturbationMetric, METRICS, sliceMetric } from '@assay/contracts/metrics';
import { aggregate } from '@assay/scoring/board';
import { findMetric } from '@assay/scoring/metrics';
import type { BoardDataset } from './board-content.js';
import { datasetReferences } from './dataset-references.js';
import type { WeighedBoard } from './weighed-board.js';

export type References = LeaderboardView['references'];

/**
 * Returns the reference rows (majority, random, human), aggregated in the same way as models. The
 * human row has no aggregate if a weighted dataset has no human figures.
 */
export function references({ scores: { content }, datasetWeights }: WeighedBoard): References {
  const metricNames = content.metrics.filter(
    (name) => !isCostMetric(name) && !isPerturbationMetric(name) && !sliceMetric(name),
  );
  return (['majority', 'random', 'human'] as const).flatMap((name) => {
    const perDataset: Record<string, Record<string, Estimate>> = {};
    for (const dataset of content.datasets) {
      const cell = referenceCell(dataset, name, metricNames);
      if (cell) perDataset[dataset.name] = cell;
    }
    const metrics: Record<string, Estimate> = {};
    for (const metric of metricNames) {
      const cells = Object.fromEntries(Object.entries(perDataset).map(([dataset, cell]) => [dataset, cell[metric]]));
      const { estimate } = aggregate(cells, datasetWeights, findMetric(metric)?.range);
      if (estimate) metrics[metric] = { value: estimate.value, low: estimate.low, high: estimate.high };
    }
    return Object.keys(perDataset).length > 0 ? [{ name, metrics, datasets: perDataset }] : [];
  });
}

function referenceCell(
  dataset: BoardDataset,
  name: References[number]['name'],
  metrics: readonly string[],
): Record<string, Estimate> | null {
  if (name === 'human') return humanCell(dataset, metrics);
  const row = datasetReferences(dataset, metrics).find((each) => each.name === name);
  return row
    ? Object.fromEntries(
        Object.entries(row.metrics).map(([metric, value]) => [metric, { value, low: null, high: null }]),
      )
    : null;
}

function humanCell({ human }: BoardDataset, metrics: readonly string[]): Record<string, Estimate> | null {
  const known = metrics.flatMap((metric): [string, Estimate][] => {
    const figure = human?.[metric];
    return figure ? [[metric, { value: figure.value, low: figure.low, high: figure.high }]] : [];
  });
  return known.length === 0 ? null : Object.fromEntries(known);
}

/** Returns the aggregates of the majority reference row. */
export const majorityBaseline = (rows: References): Readonly<Record<string, Estimate>> =>
  rows.find((row) => row.name === 'majority')?.metrics ?? {};

/**
 * Returns the better value of the reference rows majority and random, by metric, which `minimum: {…:
 * baseline}` of a loop policy requires a model to exceed.
 */
export function bestReferences(rows: References): Readonly<Record<string, number>> {
  const values = rows
    .filter(({ name }) => name !== 'human')
    .flatMap(({ metrics }) => Object.entries(metrics).map(([metric, { value }]) => ({ metric, value })));
  const byMetric = Object.entries(Object.groupBy(values, ({ metric }) => metric));
  return Object.fromEntries(
    byMetric.map(([metric, all = []]) => {
      const better = METRICS[metric]?.direction === 'lower' ? Math.min : Math.max;
      return [metric, better(...all.map(({ value }) => value))];
    }),
  );
}

/** Returns whether the whole interval of a metric is better than the value of a reference row. */
export function isBetter(metric: string, { value, low, high }: Estimate, baseline: number): boolean {
  return METRICS[metric]?.direction === 'lower' ? (high ?? value) < baseline : (low ?? value) > baseline;
}
