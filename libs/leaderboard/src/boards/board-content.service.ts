import type { OwnEvaluators } from '@assay/contracts/evaluators';
import {
  COST_METRICS,
  type CostMetric,
  type Estimate,
  isCostMetric,
  type Perturbation,
} from '@assay/contracts/metrics';
import { FAILURES } from '@assay/contracts/models';
import { boardMetrics, type TaskDefinition, taskMetrics, taskWeights } from '@assay/contracts/tasks';
import { GIB } from '@assay/contracts/text';
import { awaitsScores, Evaluation, EvaluationRepository } from '@assay/evaluation/evaluations';
import { scoringKey } from '@assay/evaluation/runs';
import type { Exchange } from '@assay/scoring/board';
import { medianOf, textSignatures } from '@assay/scoring/metrics';
import { artifactsAgainst, Model, PUBLIC_MODEL } from '@assay/submissions';
import { attemptsByOwner } from '@assay/submissions/artifacts';
import { roundsScores, type Task } from '@assay/tasks';
import { BOARD, type BenchmarkVersion, type BoardDefinition } from '@assay/tasks/benchmarks';
import { DatasetVersion } from '@assay/tasks/datasets';
import type { EntityManager } from '@mikro-orm/postgresql';
import {
  boardCell,
  type CellEvaluations,
  costSpreadsOf,
  hardwareOf,
  restOfCell,
  undefinedMetrics,
} from './board-cells.js';
import { type BoardContent, type BoardDataset, type BoardModel, NOT_YET } from './board-content.js';
import { contaminationOf } from './contamination.js';

/**
 * Collects the content of the board of a benchmark version: its datasets, and the cells of all
 * public models, with exact scores.
 */
export async function collectBoard(em: EntityManager, task: Task, benchmark: BenchmarkVersion): Promise<BoardContent> {
  const definition = definitionAt(task, benchmark);
  const metrics = boardMetrics(definition);
  // in a separate entity manager: these rows are only read and can be many, and must not be
  // compared with the database on flush
  const collected = await collectCells(em.fork({ keepTransactionContext: true }), task, benchmark);
  const keys = currentKeys(task, definition, collected);
  const exchange = exchangeOf(benchmark.definition);
  const rules = exchange ? rulesOf(benchmark) : {};
  const copies = exchange ? copiesOf(collected.models, rules) : new Map<string, number>();
  const models = collected.models.map((model): BoardModel => {
    const group = copies.get(model.id);
    return {
      ...boardModel(model, { ...collected, keys }, definition, metrics, rules.rules),
      ...(rules.rules && measuredCosts(collected.scored.get(model.id)!)),
      ...(group !== undefined && { copies: group }),
    };
  });
  return {
    ...(exchange && { schema: 2, ...rules }),
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
    datasets: collected.versions.map((version) => boardDataset(task, version, collected, definition, metrics)),
    models,
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
export const rulesOf = ({ metricVersions }: Pick<BenchmarkVersion, 'metricVersions'>): Pick<BoardContent, 'rules'> =>
  (metricVersions[BOARD] ?? 1) > 1 ? { rules: 2 } : {};

/** Returns the signatures of the metrics of texts; nothing if there are none. */
function signaturesOf(definition: TaskDefinition): Pick<BoardContent, 'signatures'> {
  const signatures = textSignatures(taskMetrics(definition), definition.output.type, definition);
  return Object.keys(signatures).length === 0 ? {} : { signatures };
}

/**
 * Numbers the groups of models with the same artifact, by model ID. Since version 2 of the rules, models are
 * also copies if their artifacts compute the same.
 */
function copiesOf(models: readonly Model[], { rules }: Pick<BoardContent, 'rules'>): ReadonlyMap<string, number> {
  const groups = Map.groupBy(models, ({ specification }) => {
    const { digest, image } = specification!.artifact;
    return (rules && image?.contentDigest) || digest;
  });
  const shared = [...groups.values()].filter((group) => group.length > 1);
  return new Map(shared.flatMap((group, number) => group.map(({ id }) => [id, number])));
}

/** The rows that the board is computed from. */
interface Collected {
  /** Unperturbed dataset versions: the datasets that users know. */
  readonly versions: readonly DatasetVersion[];
  /** By the ID of the original's version. */
  readonly perturbed: ReadonlyMap<string, ReadonlyMap<Perturbation, DatasetVersion>>;
  readonly models: readonly Model[];
  /** By specification and dataset version. */
  readonly evaluations: ReadonlyMap<string, Evaluation>;
  /**
   * Scored evaluations with those on the perturbed versions, by model ID, then by the ID of the
   * original's version.
   */
  readonly scored: ReadonlyMap<string, ReadonlyMap<string, CellEvaluations>>;
  /** Evaluators of users that answered or measured, by the ID of the evaluation. */
  readonly evaluators: ReadonlyMap<string, OwnEvaluators>;
  /** By owner ID. */
  readonly attempts: ReadonlyMap<string, number>;
  /** The digests of the artifacts that a dataset was collected against, by dataset ID. */
  readonly against: ReadonlyMap<string, ReadonlySet<string>>;
}

async function collectCells(em: EntityManager, task: Task, benchmark: BenchmarkVersion): Promise<Collected> {
  const all = await em.find(
    DatasetVersion,
    { id: { $in: [...benchmark.datasets] } },
    { populate: ['dataset'], orderBy: { dataset: { createdAt: 'asc' } } },
  );
  const versions = all.filter(({ dataset }) => !dataset.perturbation);
  const models = await em.find(
    Model,
    { $and: [PUBLIC_MODEL, { task, state: { $nin: ['awaiting-artifact', 'cancelled'] } }] },
    { populate: ['owner', 'specification.artifact'], orderBy: { id: 'asc' } },
  );
  const evaluations = await em.find(
    Evaluation,
    { specification: { $in: models.map((model) => model.specification!.id) }, datasetVersion: { $in: [...all] } },
    // slices and reliability curves are large, and no board needs them
    { exclude: ['slices', 'calibration'] },
  );
  const tables: Tables = {
    versions,
    perturbed: new Map(versions.map((version) => [version.id, perturbedOf(version, all)])),
    models,
    evaluations: new Map(
      evaluations.map((each) => [cellKey(each.specification.id, each.datasetVersion.id), each as Evaluation]),
    ),
  };
  return {
    ...tables,
    scored: new Map(models.map((model) => [model.id, scoredCells(model, tables)])),
    evaluators: await new EvaluationRepository(em).ownEvaluators(task.id, {
      versions: all.map(({ id }) => id),
    }),
    attempts: await attemptsByOwner(em, task),
    against: await artifactsAgainst(em, versions),
  };
}

type Tables = Pick<Collected, 'versions' | 'perturbed' | 'models' | 'evaluations'>;

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

/**
 * Returns the scoring keys under the definition at that benchmark version and under the current
 * one, by dataset version ID.
 */
function currentKeys(
  task: Task,
  definition: TaskDefinition,
  { versions, perturbed }: Collected,
): ReadonlyMap<string, readonly string[]> {
  const all = versions.flatMap((version) => [version, ...perturbed.get(version.id)!.values()]);
  return new Map(
    all.map((version) => [version.id, [scoringKey(definition, version), scoringKey(task.definition, version)]]),
  );
}

function boardModel(
  model: Model,
  collected: Collected & { readonly keys: ReadonlyMap<string, readonly string[]> },
  definition: TaskDefinition,
  metrics: readonly string[],
  rules: BoardContent['rules'],
): BoardModel {
  const { artifact } = model.specification!;
  const cells: Record<string, Record<string, Estimate>> = {};
  const missing: Record<string, string> = {};
  const resamples: Record<string, readonly string[]> = {};
  const own = new Set<string>();
  const counted: Record<string, number> = {};
  const scored = collected.scored.get(model.id)!;
  const hardware = hardwareOf([...scored.values()].map(({ original }) => original));
  const evaluators = evaluatorsOf(scored, collected.evaluators);
  let pending = false;
  for (const version of collected.versions) {
    const { name } = version.dataset;
    const perturbed = collected.perturbed.get(version.id)!;
    for (const each of [version, ...perturbed.values()]) {
      const evaluation = evaluationOf(collected, model, each);
      pending ||= isPending(model, evaluation);
      pending ||= evaluation !== undefined && awaitsScores(evaluation, collected.keys.get(each.id)!);
      if (evaluation?.state !== 'scored') missing[each.dataset.name] = whyMissing(model, evaluation);
    }
    const evaluations = scored.get(version.id);
    const isOwn = collected.against.get(version.dataset.id)!.has(artifact.digest);
    if (isOwn) own.add(name);
    if (!evaluations) continue;
    const whole = boardCell(evaluations, metrics, definition.performance);
    const rest = isOwn && rules ? restOfCell(evaluations, whole, metrics, definition) : null;
    if (rest) {
      own.delete(name);
      counted[name] = rest.examples;
    }
    cells[name] = withCostsOf(hardware, evaluations, rest?.cell ?? whole);
    const scores = rest ? rest.scores : [evaluations.original, ...evaluations.perturbed.values()];
    const digests = scores.flatMap((each) => each.resamples ?? []);
    if (digests.length > 0) resamples[name] = digests;
  }
  return {
    id: model.id,
    name: model.name,
    owner: model.owner.username,
    kind: model.kind,
    attempts: collected.attempts.get(model.owner.id) ?? 1,
    size: artifact.size,
    acceptedAt: (model.acceptedAt ?? artifact.createdAt).toISOString(),
    ...(evaluators.length > 0 && { evaluators }),
    hardware,
    own: [...own],
    ...(Object.keys(counted).length > 0 && { counted }),
    exposure: Object.fromEntries(
      collected.versions.map(({ dataset }) => [dataset.name, contaminationOf(artifact, dataset)]),
    ),
    resamples,
    cells,
    missing,
    pending,
    ...(model.state === 'failed' && Object.keys(cells).length === 0 && { scoredBefore: true }),
  };
}

/** Returns the evaluators of users behind the scored evaluations of a model, by name. */
function evaluatorsOf(
  scored: ReadonlyMap<string, CellEvaluations>,
  evaluators: ReadonlyMap<string, OwnEvaluators>,
): OwnEvaluators {
  const evaluations = [...scored.values()].flatMap(({ original, perturbed }) => [original, ...perturbed.values()]);
  const all = evaluations.flatMap(({ id }) => evaluators.get(id) ?? []);
  const distinct = new Map(all.map(({ name, owner }) => [`${name} ${owner}`, { name, owner }]));
  return [...distinct].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, evaluator]) => evaluator);
}

/**
 * Removes costs that were measured on another hardware class, as they are not comparable with the
 * model's others.
 */
function withCostsOf(
  hardware: string | null,
  { original }: CellEvaluations,
  cell: Record<string, Estimate>,
): Record<string, Estimate> {
  if (!original.measures || original.measures.hardware === hardware) return cell;
  return Object.fromEntries(Object.entries(cell).filter(([name]) => !isCostMetric(name)));
}

function scoredCells(model: Model, collected: Tables): ReadonlyMap<string, CellEvaluations> {
  const scored = collected.versions.flatMap((version): [string, CellEvaluations][] => {
    const original = evaluationOf(collected, model, version);
    if (original?.state !== 'scored') return [];
    const perturbed = [...collected.perturbed.get(version.id)!].flatMap(
      ([kind, each]): [Perturbation, Evaluation][] => {
        const evaluation = evaluationOf(collected, model, each);
        return evaluation?.state === 'scored' ? [[kind, evaluation]] : [];
      },
    );
    return [[version.id, { original, perturbed: new Map(perturbed) }]];
  });
  return new Map(scored);
}

const evaluationOf = ({ evaluations }: Tables, model: Model, version: DatasetVersion): Evaluation | undefined =>
  evaluations.get(cellKey(model.specification!.id, version.id));

/** A cell without an evaluation will be requested, unless the model has failed as a whole. */
const isPending = (model: Model, evaluation: Evaluation | undefined): boolean =>
  evaluation ? evaluation.state === 'queued' || evaluation.state === 'running' : !model.failure;

export const cellKey = (specification: string, version: string): string => `${specification} ${version}`;

/**
 * Returns why a model has no score on a dataset, in words that everybody may read. Only its owner
 * sees failure details.
 */
export function whyMissing(model: Model, evaluation: Evaluation | undefined): string {
  if (evaluation?.failure) return FAILURES[evaluation.failure.code].reason;
  if (evaluation?.state === 'running') return 'running';
  if (evaluation?.state === 'cancelled') return 'cancelled';
  if (model.failure) return FAILURES[model.failure.code].reason;
  return NOT_YET;
}

/** Returns how certain the costs of a model are. */
function measuredCosts(
  scored: ReadonlyMap<string, CellEvaluations>,
): Pick<BoardModel, 'costSpreads' | 'provisionalCosts'> {
  const evaluations = [...scored.values()].map(({ original }) => original);
  const hardware = hardwareOf(evaluations);
  const measures = evaluations.map((each) => each.measures).find((each) => each?.hardware === hardware);
  if (!measures) return {};
  return { costSpreads: costSpreadsOf(measures), ...(measures.provisional && { provisionalCosts: true }) };
}

/** Returns the spread of each cost: the median over the models that were measured several times. */
function costSpreads(collected: Collected): Partial<Record<CostMetric, number>> {
  const spreads = Array.from(collected.scored.values()).flatMap((cells) => {
    // a measurement belongs to a run, and its cells repeat it
    const [first] = cells.values();
    return first?.original.measures?.spread ?? [];
  });
  const medians = (Object.keys(COST_METRICS) as CostMetric[]).flatMap((name): [CostMetric, number][] => {
    const median = medianOf(spreads.flatMap((spread) => spread[name] ?? []));
    return median === null ? [] : [[name, median]];
  });
  return Object.fromEntries(medians);
}

function boardDataset(
  task: Task,
  version: DatasetVersion,
  collected: Collected,
  definition: TaskDefinition,
  metrics: readonly string[],
): BoardDataset {
  const cells = Array.from(collected.scored.values()).flatMap((each) => each.get(version.id) ?? []);
  const kinds = new Set(collected.perturbed.get(version.id)!.keys());
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
    undefinedMetrics: undefinedMetrics(cells, metrics, definition.performance, kinds),
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
