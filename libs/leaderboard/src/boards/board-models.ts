import type { OwnEvaluators } from '@assay/contracts/evaluators';
import { type Estimate, isCostMetric, type Measures, type Perturbation } from '@assay/contracts/metrics';
import { FAILURES } from '@assay/contracts/models';
import type { TaskDefinition } from '@assay/contracts/tasks';
import { awaitsScores, type Evaluation } from '@assay/evaluation/evaluations';
import type { Model } from '@assay/submissions';
import type { DatasetVersion } from '@assay/tasks/datasets';
import type { EntityManager } from '@mikro-orm/postgresql';
import {
  boardCell,
  type CellEvaluations,
  costSpreadsOf,
  type DerivedMetrics,
  derivedMetrics,
  hardwareOf,
  restOfCell,
} from './board-cells.js';
import { type BoardContent, type BoardModel, NOT_YET } from './board-content.js';
import { type BoardEvaluation, BoardInputsRepository, type SubmittedModel } from './board-inputs.repository.js';
import { contaminationOf } from './contamination.js';

/** The number of models that are read together. */
const BATCH = 500;

/** The dataset versions and the rules that all models of a board are scored by. */
export interface BoardScope {
  readonly definition: TaskDefinition;
  readonly metrics: readonly string[];
  readonly rules?: BoardContent['rules'];
  /** Unperturbed dataset versions: the datasets that users know. */
  readonly versions: readonly DatasetVersion[];
  /** By the ID of the original's version. */
  readonly perturbed: ReadonlyMap<string, ReadonlyMap<Perturbation, DatasetVersion>>;
  /** The scoring keys of current scores, by dataset version ID. */
  readonly keys: ReadonlyMap<string, readonly string[]>;
  /** The digests of the artifacts that a dataset was collected against, by dataset ID. */
  readonly against: ReadonlyMap<string, ReadonlySet<string>>;
}

/** A model of a board, as far as it follows from its own rows. */
export interface CollectedModel {
  /** Without `attempts`, `evaluators` and `copies`. */
  readonly model: BoardModel;
  /** The ID of the owner. */
  readonly owner: string;
  /** The same for models that are copies: identifies the artifact or, since version 2 of the rules, what it computes. */
  readonly computes: string;
  /** The IDs of the scored evaluations. */
  readonly evaluations: readonly string[];
  /** The spread between repeated measurements of the model. */
  readonly spread: Measures['spread'] | null;
  /** The perturbation and slice metrics of its scored cells, by the ID of the dataset version. */
  readonly derived: ReadonlyMap<string, DerivedMetrics>;
}

interface CachedModel {
  readonly version: string;
  readonly collected: CollectedModel;
}

/** The models of a board as the last publication collected them. The next one reads only those that changed. */
export class CollectedModels {
  private scope = '';
  private models = new Map<string, CachedModel>();

  /** Returns the models on the board of a task, sorted by ID. */
  async collect(em: EntityManager, task: string, scope: BoardScope): Promise<readonly CollectedModel[]> {
    const text = textOf(scope);
    if (this.scope !== text) this.models = new Map();
    this.scope = text;
    const ids = allVersions(scope).map(({ id }) => id);
    const inputs = new BoardInputsRepository(em);
    const current = await inputs.models(task, ids);
    const changed = current.filter(({ id, version }) => this.models.get(id)?.version !== version);
    const collected = new Map<string, CollectedModel>();
    for (let first = 0; first < changed.length; first += BATCH) {
      const submitted = await inputs.submitted(changed.slice(first, first + BATCH).map(({ id }) => id));
      const specifications = [...new Set(submitted.map(({ specification }) => specification))];
      const evaluations = new Map<string, BoardEvaluation>();
      for (const each of await inputs.evaluations(specifications, ids))
        evaluations.set(cellKey(each.specification, each.version), each);
      for (const model of submitted) collected.set(model.id, collectedModel(model, evaluations, scope));
    }
    this.models = new Map(
      current.flatMap(({ id, version }) => {
        const model = collected.get(id) ?? this.models.get(id)?.collected;
        return model ? [[id, { version, collected: model }]] : [];
      }),
    );
    return Array.from(this.models.values(), (cached) => cached.collected);
  }
}

const allVersions = ({ versions, perturbed }: BoardScope): DatasetVersion[] =>
  versions.flatMap((version) => [version, ...perturbed.get(version.id)!.values()]);

/** Returns a text that differs for scopes that yield different models from the same rows. */
function textOf({ definition, metrics, rules, versions, perturbed, keys, against }: BoardScope): string {
  const { performance, aggregate } = definition;
  const datasets = versions.map(({ id, dataset }) => [
    [id, dataset.name, dataset.publicSince, ...against.get(dataset.id)!],
    Array.from(perturbed.get(id)!, ([kind, version]) => [kind, version.id, version.dataset.name]),
  ]);
  return JSON.stringify([performance, aggregate.minimumExamples, rules, metrics, datasets, [...keys]]);
}

/** The part of a model of a board that follows from the rows of other models too. */
export interface SharedFacts {
  /** Attempts of its owner at the task. */
  readonly attempts: number;
  /** Evaluators of users that answered or measured, by name. Absent if there are none. */
  readonly evaluators?: OwnEvaluators;
  /** The number of the group of models with the same artifact. */
  readonly copies?: number;
}

const boardModels = new WeakMap<CollectedModel, { readonly key: string; readonly model: BoardModel }>();

/** Returns the model as a board has it. The same object as long as nothing changes. */
export function boardModelOf(collected: CollectedModel, facts: SharedFacts): BoardModel {
  const key = JSON.stringify(facts);
  const known = boardModels.get(collected);
  if (known?.key === key) return known.model;
  const model = { ...collected.model, ...facts };
  boardModels.set(collected, { key, model });
  return model;
}

function collectedModel(
  model: SubmittedModel,
  evaluations: ReadonlyMap<string, BoardEvaluation>,
  scope: BoardScope,
): CollectedModel {
  const { artifact } = model;
  const cells: Record<string, Record<string, Estimate>> = {};
  const missing: Record<string, string> = {};
  const resamples: Record<string, readonly string[]> = {};
  const derived = new Map<string, DerivedMetrics>();
  const own = new Set<string>();
  const counted: Record<string, number> = {};
  const evaluationOf = (version: DatasetVersion) => evaluations.get(cellKey(model.specification, version.id));
  const scored = scoredCells(scope, evaluationOf);
  const hardware = hardwareOf([...scored.values()].map(({ original }) => original));
  let pending = false;
  for (const version of scope.versions) {
    const { name } = version.dataset;
    for (const each of [version, ...scope.perturbed.get(version.id)!.values()]) {
      const evaluation = evaluationOf(each);
      pending ||= isPending(model, evaluation);
      pending ||= evaluation !== undefined && awaitsScores(evaluation, scope.keys.get(each.id)!);
      if (evaluation?.state !== 'scored') missing[each.dataset.name] = whyMissing(model, evaluation);
    }
    const cell = scored.get(version.id);
    const isOwn = scope.against.get(version.dataset.id)!.has(artifact.digest);
    if (isOwn) own.add(name);
    if (!cell) continue;
    const { performance } = scope.definition;
    const whole = boardCell(cell, scope.metrics, performance);
    const rest = isOwn && scope.rules ? restOfCell(cell, whole, scope.metrics, scope.definition) : null;
    if (rest) {
      own.delete(name);
      counted[name] = rest.examples;
    }
    cells[name] = withCostsOf(hardware, cell, rest?.cell ?? whole);
    derived.set(version.id, derivedMetrics(cell, scope.metrics, performance));
    const scores = rest ? rest.scores : evaluationsOf(cell);
    const digests = scores.flatMap((each) => each.resamples ?? []);
    if (digests.length > 0) resamples[name] = digests;
  }
  const [first] = scored.values();
  return {
    model: {
      id: model.id,
      name: model.name,
      owner: model.owner,
      kind: model.kind,
      size: artifact.size,
      acceptedAt: (model.acceptedAt ?? artifact.createdAt).toISOString(),
      hardware,
      own: [...own],
      ...(Object.keys(counted).length > 0 && { counted }),
      exposure: Object.fromEntries(
        scope.versions.map(({ dataset }) => [dataset.name, contaminationOf(artifact, dataset)]),
      ),
      resamples,
      cells,
      missing,
      pending,
      ...(model.state === 'failed' && Object.keys(cells).length === 0 && { scoredBefore: true }),
      ...(scope.rules && measuredCosts(scored, hardware)),
    },
    owner: model.ownerId,
    computes: model.entry ?? ((scope.rules && artifact.contentDigest) || artifact.digest),
    evaluations: [...scored.values()].flatMap((cell) => evaluationsOf(cell).map(({ id }) => id)),
    // a measurement belongs to a run, and its cells repeat it
    spread: first?.original.measures?.spread ?? null,
    derived,
  };
}

/** Returns the scored evaluations with those on the perturbed versions, by the ID of the original's version. */
function scoredCells(
  { versions, perturbed }: BoardScope,
  evaluationOf: (version: DatasetVersion) => BoardEvaluation | undefined,
): ReadonlyMap<string, CellEvaluations> {
  const scored = versions.flatMap((version): [string, CellEvaluations][] => {
    const original = evaluationOf(version);
    if (original?.state !== 'scored') return [];
    const others = [...perturbed.get(version.id)!].flatMap(([kind, each]): [Perturbation, BoardEvaluation][] => {
      const evaluation = evaluationOf(each);
      return evaluation?.state === 'scored' ? [[kind, evaluation]] : [];
    });
    return [[version.id, { original, perturbed: new Map(others) }]];
  });
  return new Map(scored);
}

const evaluationsOf = ({ original, perturbed }: CellEvaluations): BoardEvaluation[] => [
  original,
  ...perturbed.values(),
];

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

/** Returns how certain the costs of a model are. */
function measuredCosts(
  scored: ReadonlyMap<string, CellEvaluations>,
  hardware: string | null,
): Pick<BoardModel, 'costSpreads' | 'provisionalCosts'> {
  const evaluations = [...scored.values()].map(({ original }) => original);
  const measures = evaluations.map((each) => each.measures).find((each) => each?.hardware === hardware);
  if (!measures) return {};
  return { costSpreads: costSpreadsOf(measures), ...(measures.provisional && { provisionalCosts: true }) };
}

/** A cell without an evaluation will be requested, unless the model has failed as a whole. */
const isPending = (model: Pick<Model, 'failure'>, evaluation: Pick<Evaluation, 'state'> | undefined): boolean =>
  evaluation ? evaluation.state === 'queued' || evaluation.state === 'running' : !model.failure;

export const cellKey = (specification: string, version: string): string => `${specification} ${version}`;

/**
 * Returns why a model has no score on a dataset, in words that everybody may read. Only its owner
 * sees failure details.
 */
export function whyMissing(
  model: Pick<Model, 'failure'>,
  evaluation: Pick<Evaluation, 'state' | 'failure'> | undefined,
): string {
  if (evaluation?.failure) return FAILURES[evaluation.failure.code].reason;
  if (evaluation?.state === 'running') return 'running';
  if (evaluation?.state === 'cancelled') return 'cancelled';
  if (model.failure) return FAILURES[model.failure.code].reason;
  return NOT_YET;
}
