import {
  COST_METRICS,
  type CostMetric,
  type Estimate,
  GIB,
  isCostMetric,
  type Measures,
  type TaskDefinition,
  taskMetrics,
  taskWeights,
} from '@assay/contracts';
import { Evaluation } from '@assay/evaluation';
import { Model } from '@assay/submissions';
import { type BenchmarkVersion, DatasetVersion, type Task } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { BoardContent, BoardDataset, BoardModel } from './board-content.js';

/** Collects what the board of a benchmark version stands on: its datasets, and the cells of all published models. */
export async function collectBoard(em: EntityManager, task: Task, benchmark: BenchmarkVersion): Promise<BoardContent> {
  const versions = await em.find(
    DatasetVersion,
    { id: { $in: [...benchmark.datasets] } },
    { populate: ['dataset'], orderBy: { dataset: { createdAt: 'asc' } } },
  );
  const definition = definitionAt(task, benchmark);
  const metrics = [...taskMetrics(definition), ...(Object.keys(COST_METRICS) as CostMetric[])];
  return {
    task: task.slug,
    performance: definition.performance,
    metrics,
    weights: taskWeights(definition),
    aggregate: definition.aggregate,
    memoryLimit: definition.limits.memory / GIB,
    loop: task.definition.loop,
    amrs: benchmark.amrs ?? null,
    datasets: versions.map(boardDataset),
    models: await collectModels(em, task, versions, metrics),
  };
}

/** The task as it was at that benchmark version; what decides no board is as it is now. */
function definitionAt(task: Task, benchmark: BenchmarkVersion): TaskDefinition {
  const definition = { ...task.definition };
  delete definition.metrics;
  delete definition.weights;
  delete definition.utilities;
  delete definition.perturbations;
  delete definition.cluster;
  return { ...definition, ...benchmark.definition };
}

async function collectModels(
  em: EntityManager,
  task: Task,
  versions: readonly DatasetVersion[],
  metrics: readonly string[],
): Promise<BoardModel[]> {
  const models = await em.find(
    Model,
    {
      task,
      published: true,
      withdrawn: false,
      specification: { $ne: null },
      state: { $nin: ['awaiting-artifact', 'cancelled'] },
    },
    { populate: ['owner'], orderBy: { id: 'asc' } },
  );
  const evaluations = await em.find(Evaluation, {
    specification: { $in: models.map((model) => model.specification!.id) },
    datasetVersion: { $in: [...versions] },
  });
  const cellOf = new Map(
    evaluations.map((evaluation) => [cellKey(evaluation.specification.id, evaluation.datasetVersion.id), evaluation]),
  );
  return models.map((model) => {
    const cells: Record<string, Record<string, Estimate>> = {};
    const missing: Record<string, string> = {};
    for (const version of versions) {
      const evaluation = cellOf.get(cellKey(model.specification!.id, version.id));
      if (evaluation?.state === 'scored') cells[version.dataset.name] = boardCell(evaluation, metrics);
      else missing[version.dataset.name] = whyMissing(model, evaluation);
    }
    const pending = versions.some((version) =>
      isPending(model, cellOf.get(cellKey(model.specification!.id, version.id))),
    );
    return { id: model.id, name: model.name, owner: model.owner.username, kind: model.kind, cells, missing, pending };
  });
}

/** A cell that nobody has asked for yet will be, unless the model has failed as a whole. */
const isPending = (model: Model, evaluation: Evaluation | undefined): boolean =>
  evaluation ? evaluation.state === 'queued' || evaluation.state === 'running' : !model.failure;

const cellKey = (specification: string, version: string): string => `${specification} ${version}`;

/** Metrics and costs of one cell under their names; what was not measured is not there. */
function boardCell(evaluation: Evaluation, metrics: readonly string[]): Record<string, Estimate> {
  const cell: Record<string, Estimate> = {};
  for (const name of metrics) {
    const estimate = isCostMetric(name) ? costOf(evaluation.measures ?? null, name) : evaluation.metrics?.[name];
    if (estimate) cell[name] = estimate;
  }
  return cell;
}

function costOf(measures: Measures | null, name: CostMetric): Estimate | null {
  const value = measures?.[name] ?? null;
  return value === null ? null : { value, low: null, high: null };
}

function whyMissing(model: Model, evaluation: Evaluation | undefined): string {
  if (evaluation?.failure) return `${evaluation.failure.code}: ${evaluation.failure.message}`;
  if (evaluation?.state === 'running') return 'running';
  if (evaluation?.state === 'cancelled') return 'cancelled';
  if (model.failure) return `${model.failure.code}: ${model.failure.message}`;
  return 'not yet: it waits for its turn';
}

const boardDataset = (version: DatasetVersion): BoardDataset => ({
  name: version.dataset.name,
  version: version.number,
  role: version.dataset.role,
  use: version.dataset.use,
  round: version.dataset.round ?? null,
  examples: version.examples,
  goldCounts: version.goldCounts ?? null,
});
