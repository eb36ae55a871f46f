import type { TaskDefinition } from '@assay/contracts/tasks';
import { Evaluation } from '@assay/evaluation/evaluations';
import type { Principal } from '@assay/identity';
import { DomainError } from '@assay/kernel';
import { datasetWeights } from '@assay/scoring/board';
import { type Model } from '@assay/submissions';
import { artifactsAgainst } from '@assay/submissions/lineage';
import { seesRoundedScores, type Task } from '@assay/tasks';
import { BenchmarkVersion } from '@assay/tasks/benchmarks';
import { DatasetVersion } from '@assay/tasks/datasets';
import type { EntityManager } from '@mikro-orm/postgresql';
import { definitionAt } from '../boards/board-content.service.js';
import { cellKey, whyMissing } from '../boards/board-models.js';

/** The dataset versions on which models are compared, with the evaluations of each model. */
export interface ComparableCells {
  readonly benchmark: BenchmarkVersion;
  readonly definition: TaskDefinition;
  /** Including perturbed versions. */
  readonly versions: readonly DatasetVersion[];
  /**
   * The share of each ranking version in an aggregate, by version ID. The shares sum to 1, or are
   * all 0 if no dataset is large enough.
   */
  readonly weights: ReadonlyMap<string, number>;
  /** Returns the scored evaluation of a model, or the reason why there is none. */
  cell(model: Model, version: DatasetVersion): Evaluation | string;
  /**
   * Returns whether the dataset was collected against the model, or against another model with the
   * same artifact or in its lineage.
   */
  isOwn(model: Model, version: DatasetVersion): boolean;
  /** Returns whether the reader sees rounded scores on the dataset, so that nothing else may be compared. */
  isRounded(version: DatasetVersion): boolean;
}

/**
 * Loads the cells of `models`, as `principal` may see them, at benchmark version `asOf` (such as `v3`; default: the newest).
 * @throws DomainError `nothing_comparable`, `no_such_version`, `invalid_as_of`
 */
export async function comparableCells(
  em: EntityManager,
  principal: Principal | null,
  task: Task,
  models: readonly Model[],
  asOf: string | undefined,
): Promise<ComparableCells> {
  const benchmark = await benchmarkOf(em, task, asOf);
  const definition = definitionAt(task, benchmark);
  const versions = await em.find(
    DatasetVersion,
    { id: { $in: [...benchmark.datasets] } },
    { populate: ['dataset', 'dataset.original', 'original'], orderBy: { dataset: { createdAt: 'asc' } } },
  );
  await em.populate([...models], ['specification.artifact', 'owner']);
  const specifications = models.flatMap(({ specification }) => specification?.id ?? []);
  const evaluations = await em.find(Evaluation, {
    specification: { $in: specifications },
    datasetVersion: { $in: versions.map(({ id }) => id) },
  });
  const found = new Map(evaluations.map((each) => [cellKey(each.specification.id, each.datasetVersion.id), each]));
  const against = await artifactsAgainst(em, versions);
  return {
    benchmark,
    definition,
    versions,
    weights: weightsOf(versions, definition),
    cell: (model, version) => {
      const evaluation = model.specification ? found.get(cellKey(model.specification.id, version.id)) : undefined;
      return evaluation?.state === 'scored' ? evaluation : whyMissing(model, evaluation);
    },
    isOwn: (model, version) => {
      const dataset = version.dataset.original ?? version.dataset;
      return model.specification ? (against.get(dataset.id)?.has(model.specification.artifact.digest) ?? false) : false;
    },
    isRounded: ({ dataset }) => seesRoundedScores(principal, task, dataset),
  };
}

async function benchmarkOf(em: EntityManager, task: Task, asOf: string | undefined): Promise<BenchmarkVersion> {
  const number = asOf === undefined ? null : /^v(\d{1,9})$/.exec(asOf)?.[1];
  if (number === undefined) {
    throw new DomainError('invalid', 'invalid_as_of', `"${asOf}" is not a benchmark version such as v3.`);
  }
  const benchmark = await em.findOne(
    BenchmarkVersion,
    { task, ...(number !== null && { number: Number(number) }) },
    { orderBy: { number: 'desc' } },
  );
  if (benchmark) return benchmark;
  throw number === null
    ? new DomainError(
        'conflict',
        'nothing_comparable',
        `"${task.slug}" has no active dataset yet, so no models can be compared.`,
      )
    : new DomainError('not-found', 'no_such_version', `"${task.slug}" has no benchmark version ${number}.`);
}

function weightsOf(versions: readonly DatasetVersion[], definition: TaskDefinition): ReadonlyMap<string, number> {
  const ranking = versions.filter(({ dataset }) => dataset.use === 'scoring' && !dataset.perturbation);
  const weights = datasetWeights(
    ranking.map(({ dataset, examples }) => ({
      name: dataset.name,
      role: dataset.role,
      examples,
      ...(typeof dataset.round === 'number' && { round: dataset.round }),
    })),
    definition.aggregate,
  );
  return new Map(ranking.map((version) => [version.id, weights[version.dataset.name] ?? 0]));
}
