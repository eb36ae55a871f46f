import type { OwnEvaluators } from '@assay/contracts/evaluators';
import { COST_METRICS, type CostMetric, type Perturbation } from '@assay/contracts/metrics';
import { boardMetrics, type TaskDefinition, taskMetrics, taskWeights } from '@assay/contracts/tasks';
import { GIB } from '@assay/contracts/text';
import { EvaluationRepository } from '@assay/evaluation/evaluations';
import { scoringKey } from '@assay/evaluation/runs';
import type { Exchange } from '@assay/scoring/board';
import { medianOf, textSignatures } from '@assay/scoring/metrics';
import { artifactsAgainst } from '@assay/submissions/lineage';
import { attemptsByOwner } from '@assay/submissions/artifacts';
import { roundsScores, type Task } from '@assay/tasks';
import { BOARD, type BenchmarkVersion, type BoardDefinition } from '@assay/tasks/benchmarks';
import { DatasetVersion } from '@assay/tasks/datasets';
import type { EntityManager } from '@mikro-orm/postgresql';
import { undefinedMetrics } from './board-cells.js';
import type { BoardContent, BoardDataset, BoardModel } from './board-content.js';
import { boardModelOf, type BoardScope, type CollectedModel, CollectedModels } from './board-models.js';

/**
 * Collects the content of the board of a benchmark version: its datasets, and the cells of all
 * public models, with exact scores.
 * @param cached the models as the last call for this benchmark version collected them
 */
export async function collectBoard(
  em: EntityManager,
  task: Task,
  benchmark: BenchmarkVersion,
  cached = new CollectedModels(),
): Promise<BoardContent> {
  const exchange = exchangeOf(benchmark.definition);
  // in a separate entity manager: these rows are only read, and must not be compared with the database on flush
  const scope = await scopeOf(em.fork({ keepTransactionContext: true }), task, benchmark);
  const { definition, metrics, versions, rules } = scope;
  const collected = await cached.collect(em, task.id, scope);
  return {
    ...(exchange && { schema: 2, ...(rules && { rules }) }),
    task: task.slug,
    performance: definition.performance,
    metrics,
    weights: taskWeights(definition),
    aggregate: definition.aggregate,
    memoryLimit: definition.limits.memory / GIB,
    loop: task.definition.loop,
    ...(exchange && { exchange }),
    amrs: benchmark.amrs ?? null,
    ...(definition.utilities && { utilities: definition.utilities }),
    spreads: costSpreads(collected),
    ...signaturesOf(definition),
    ...(definition.baseline !== undefined && { baseline: definition.baseline }),
    datasets: versions.map((version) => boardDataset(task, version, collected, scope)),
    models: await boardModels(em, task, scope, collected, exchange !== null),
  };
}

/**
 * Returns the exchange of a benchmark version, which has all rates; null for a version from before
 * exchange rates were fixed.
 */
export function exchangeOf({ exchange, exchangeRates, referenceCosts }: BoardDefinition): Exchange | null {
  if (exchange === undefined) return null;
  if (exchange === 'amrs') return { kind: 'amrs' };
  return { kind: 'fixed', rates: exchangeRates ?? {}, references: referenceCosts ?? {} };
}

/**
 * Returns the task definition at a benchmark version. Fields that do not affect boards have their
 * current values.
 */
export function definitionAt(task: Task, benchmark: BenchmarkVersion): TaskDefinition {
  const definition = { ...task.definition };
  delete definition.metrics;
  delete definition.weights;
  delete definition.exchangeRates;
  delete definition.referenceCosts;
  delete definition.baseline;
  delete definition.utilities;
  delete definition.perturbations;
  delete definition.cluster;
  delete definition.normalise;
  delete definition.strictProbabilities;
  // a benchmark version names no language where English rules apply
  return { ...definition, language: 'en', ...benchmark.definition };
}

/** Returns the version of the rules of a benchmark version; nothing for version 1. */
const rulesOf = ({ metricVersions }: Pick<BenchmarkVersion, 'metricVersions'>): Pick<BoardContent, 'rules'> =>
  (metricVersions[BOARD] ?? 1) > 1 ? { rules: 2 } : {};

/** Returns the signatures of the metrics of texts; nothing if there are none. */
function signaturesOf(definition: TaskDefinition): Pick<BoardContent, 'signatures'> {
  const signatures = textSignatures(taskMetrics(definition), definition.output.type, definition);
  return Object.keys(signatures).length === 0 ? {} : { signatures };
}

async function scopeOf(em: EntityManager, task: Task, benchmark: BenchmarkVersion): Promise<BoardScope> {
  const definition = definitionAt(task, benchmark);
  const { rules } = exchangeOf(benchmark.definition) ? rulesOf(benchmark) : {};
  const all = await em.find(
    DatasetVersion,
    { id: { $in: [...benchmark.datasets] } },
    { populate: ['dataset'], orderBy: { dataset: { createdAt: 'asc' } } },
  );
  const versions = all.filter(({ dataset }) => !dataset.perturbation);
  return {
    definition,
    metrics: boardMetrics(definition),
    ...(rules && { rules }),
    versions,
    perturbed: new Map(versions.map((version) => [version.id, perturbedOf(version, all)])),
    keys: new Map(
      all.map((version) => [version.id, [scoringKey(definition, version), scoringKey(task.definition, version)]]),
    ),
    against: await artifactsAgainst(em, versions),
  };
}

async function boardModels(
  em: EntityManager,
  task: Task,
  { versions, perturbed }: BoardScope,
  collected: readonly CollectedModel[],
  countsCopies: boolean,
): Promise<readonly BoardModel[]> {
  const attempts = await attemptsByOwner(em, task);
  const copies = countsCopies ? copiesOf(collected) : new Map<string, number>();
  const evaluators = await new EvaluationRepository(em).ownEvaluators(task.id, {
    versions: versions.flatMap(({ id }) => [id, ...Array.from(perturbed.get(id)!.values(), (each) => each.id)]),
  });
  return collected.map((each) => {
    const group = copies.get(each.model.id);
    const own = evaluatorsOf(each, evaluators);
    return boardModelOf(each, {
      attempts: attempts.get(each.owner) ?? 1,
      ...(own.length > 0 && { evaluators: own }),
      ...(group !== undefined && { copies: group }),
    });
  });
}

/**
 * Numbers the groups of models with the same artifact, by model ID. Since version 2 of the rules, models are
 * also copies if their artifacts compute the same.
 */
function copiesOf(models: readonly CollectedModel[]): ReadonlyMap<string, number> {
  const groups = Map.groupBy(models, ({ computes }) => computes);
  const shared = [...groups.values()].filter((group) => group.length > 1);
  return new Map(shared.flatMap((group, number) => group.map(({ model }) => [model.id, number])));
}

/** Returns the evaluators of users behind the scored evaluations of a model, by name. */
function evaluatorsOf({ evaluations }: CollectedModel, evaluators: ReadonlyMap<string, OwnEvaluators>): OwnEvaluators {
  if (evaluators.size === 0) return [];
  const all = evaluations.flatMap((id) => evaluators.get(id) ?? []);
  const distinct = new Map(all.map(({ name, owner }) => [`${name} ${owner}`, { name, owner }]));
  return [...distinct].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, evaluator]) => evaluator);
}

/**
 * Returns the perturbed versions of a dataset version. Perturbed versions that do not refer to a
 * version belong to every version of their original dataset.
 */
function perturbedOf(
  version: DatasetVersion,
  all: readonly DatasetVersion[],
): ReadonlyMap<Perturbation, DatasetVersion> {
  const perturbed = all.filter(
    ({ dataset, original }) =>
      dataset.perturbation && (original ? original.id === version.id : dataset.original?.id === version.dataset.id),
  );
  return new Map(perturbed.map((each) => [each.dataset.perturbation!, each]));
}

/** Returns the spread of each cost: the median over the models that were measured several times. */
function costSpreads(collected: readonly CollectedModel[]): Partial<Record<CostMetric, number>> {
  const spreads = collected.flatMap(({ spread }) => spread ?? []);
  const medians = (Object.keys(COST_METRICS) as CostMetric[]).flatMap((name): [CostMetric, number][] => {
    const median = medianOf(spreads.flatMap((spread) => spread[name] ?? []));
    return median === null ? [] : [[name, median]];
  });
  return Object.fromEntries(medians);
}

function boardDataset(
  task: Task,
  version: DatasetVersion,
  collected: readonly CollectedModel[],
  { definition, perturbed, metrics }: BoardScope,
): BoardDataset {
  const derived = collected.flatMap((each) => each.derived.get(version.id) ?? []);
  const kinds = new Set(perturbed.get(version.id)!.keys());
  return {
    name: version.dataset.name,
    version: version.number,
    role: version.dataset.role,
    use: version.dataset.use,
    round: version.dataset.round ?? null,
    examples: version.examples,
    ...goldOf(version, definition),
    ...(roundsScores(task, version.dataset) && { rounded: true }),
    ...(version.human && { human: version.human }),
    undefinedMetrics: undefinedMetrics(derived, metrics, kinds),
  };
}

/** Returns the counts of the gold labels, or of the sets of gold labels if the output is several labels. */
function goldOf(
  { goldCounts }: DatasetVersion,
  { output }: TaskDefinition,
): Pick<BoardDataset, 'goldCounts' | 'goldSets'> {
  if (output.type !== 'labels') return { goldCounts: goldCounts ?? null };
  return { goldCounts: null, ...(goldCounts && { goldSets: goldCounts }) };
}
