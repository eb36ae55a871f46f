import {
  type ComparedModel,
  type CompareMatrixView,
  type CompareQuery,
  type CompareView,
  type Difference,
} from '@assay/contracts/comparison';
import { declareMetric } from '@assay/contracts/metrics';
import { taskMetrics } from '@assay/contracts/tasks';
import type { Principal } from '@assay/identity';
import { DomainError } from '@assay/kernel';
import { BLOB_STORE, type BlobStore } from '@assay/storage';
import { type Model, ModelsService } from '@assay/submissions';
import { shownDisclosure, type Task } from '@assay/tasks';
import { EntityManager } from '@mikro-orm/postgresql';
import { Inject, Injectable } from '@nestjs/common';
import { expectReadable } from '../answers/readable-answers.js';
import { LeaderboardService } from '../boards/leaderboard.service.js';
import { AnswersUnreadable } from './answered-rows.js';
import { type ComparableCells, comparableCells } from './comparable-cells.js';
import { comparedCosts } from './compared-costs.js';
import { comparedModels } from './compared-models.js';
import { compareVersions, type ComparedVersion, type Pair } from './dataset-comparisons.js';
import { DatasetDifferences } from './dataset-differences.js';
import { correctedComparison, type UncorrectedOverall } from './comparison-family.js';
import { decisionSentence } from './decision-sentence.js';
import { directionOf, overallDifference } from './difference-views.js';
import { exampleDifferences } from './example-differences.js';
import { comparisonMatrix } from './comparison-matrix.js';

const EXAMPLES = 50;

type ExamplesQuery = Pick<CompareQuery, 'examples' | 'dataset' | 'limit' | 'cursor'>;

@Injectable()
export class ComparisonService {
  constructor(
    private readonly em: EntityManager,
    private readonly models: ModelsService,
    private readonly differences: DatasetDifferences,
    private readonly boards: LeaderboardService,
    @Inject(BLOB_STORE) private readonly blobs: BlobStore,
  ) {}

  /**
   * Compares two models on the dataset versions that both are scored on. Where `principal` sees
   * rounded scores, the comparison is computed from these alone.
   * @throws DomainError as `comparedModels` and `comparableCells`; `nothing_comparable`,
   * `unknown_dataset`, `dataset_missing`, `examples_hidden`, `answers_withdrawn`,
   * `no_right_or_wrong`, `unknown_cursor`
   */
  async compare(
    principal: Principal | null,
    task: Task,
    names: readonly [string, string],
    query: ExamplesQuery & Pick<CompareQuery, 'asOf'>,
  ): Promise<CompareView> {
    const pair = (await comparedModels(this.models, principal, task, names)) as unknown as Pair;
    const cells = await comparableCells(this.em, principal, task, pair, query.asOf);
    const { compared, missing } = await compareVersions(this.differences, this.blobs, cells, pair);
    if (compared.length === 0) throw nothingComparable(pair, missing);

    const { performance } = cells.definition;
    const counted = compared.filter(({ counts, version }) => counts && !version.dataset.perturbation);
    const sameComputation = isSameComputation(pair);
    const corrected = correctedComparison(compared, overallMetrics(compared), performance);
    return {
      task: task.slug,
      benchmarkVersion: cells.benchmark.number,
      performance,
      metrics: metricsOf(cells, compared),
      a: modelView(pair[0]),
      b: modelView(pair[1]),
      ...shownDisclosure(principal, task, datasetsOf(cells)),
      sameComputation,
      warnings: sameComputation
        ? ['Both models are the same computation: their artifact, command, limits and runtime are identical.']
        : [],
      overall: {
        comparable: counted.length,
        of: Array.from(cells.weights.values()).filter((weight) => weight > 0).length,
        metrics: corrected.overall,
        missing,
      },
      decision: await this.decision(
        principal,
        task,
        { ...cells, pair, asOf: query.asOf },
        corrected.overall[performance],
      ),
      datasets: corrected.datasets,
      costs: comparedCosts(cells, pair),
      ...(query.examples && { examples: await this.examples(principal, task, cells, pair, query) }),
    };
  }

  /**
   * Compares each pair of several models by the performance metric over all datasets.
   * @throws DomainError as `comparedModels` and `comparableCells`
   */
  async matrix(
    principal: Principal | null,
    task: Task,
    names: readonly string[],
    asOf: string | undefined,
  ): Promise<CompareMatrixView> {
    const models = await comparedModels(this.models, principal, task, names);
    const cells = await comparableCells(this.em, principal, task, models, asOf);
    const matrix = await comparisonMatrix(this.differences, cells, models);
    return {
      task: task.slug,
      benchmarkVersion: cells.benchmark.number,
      performance: cells.definition.performance,
      ...shownDisclosure(principal, task, datasetsOf(cells)),
      models: models.map(modelView),
      ...matrix,
    };
  }

  /** Returns the decision of the board on the benchmark version, where it differs from `own`. */
  private async decision(
    principal: Principal | null,
    task: Task,
    {
      benchmark,
      definition,
      pair: [a, b],
      asOf,
    }: ComparableCells & { readonly pair: Pair; readonly asOf?: string | undefined },
    own: Difference | undefined,
  ): Promise<string | null> {
    const board = own && (await this.boards.decision(task, asOf, principal, [a.id, b.id]));
    // the newest board may be of the version before, while models are scored
    if (!board || board.benchmarkVersion !== benchmark.number) return null;
    const { performance } = definition;
    const direction = directionOf(performance, performance);
    return decisionSentence({ ...own, direction }, board, { a: a.name, b: b.name });
  }

  /**
   * Returns examples if the whole dataset is public. The owner of the task gets those of any
   * dataset.
   */
  private async examples(
    principal: Principal | null,
    task: Task,
    cells: ComparableCells,
    pair: Pair,
    { dataset: name, limit = EXAMPLES, cursor }: ExamplesQuery,
  ): Promise<CompareView['examples']> {
    if (name === undefined) {
      const text = 'The parameter `dataset` is missing. It names the dataset whose examples are returned.';
      throw new DomainError('invalid', 'dataset_missing', text);
    }
    const version = cells.versions.find(({ dataset }) => dataset.name === name && !dataset.perturbation);
    if (!version) {
      throw new DomainError('not-found', 'unknown_dataset', `"${task.slug}" has no active dataset "${name}".`);
    }
    const [a, b] = pair.map((model) => cells.cell(model, version));
    const evaluations = [a, b].filter((cell) => typeof cell === 'object');
    await expectReadable(this.em, principal, { task, version, evaluations });
    if (!a || !b || typeof a === 'string' || typeof b === 'string') throw notBoth(name);
    try {
      return await exampleDifferences(this.blobs, cells.definition, version, [a, b], { limit, cursor });
    } catch (error) {
      throw error instanceof AnswersUnreadable ? notBoth(name) : error;
    }
  }
}

const datasetsOf = ({ versions }: ComparableCells) => versions.map(({ dataset }) => dataset);

function metricsOf({ definition }: ComparableCells, compared: readonly ComparedVersion[]): CompareView['metrics'] {
  const perturbed = compared
    .filter(({ version }) => version.dataset.perturbation)
    .flatMap(({ view }) => Object.keys(view.metrics));
  return [...new Set([...taskMetrics(definition), ...perturbed])].flatMap((name) => {
    const declared = declareMetric(name, definition.performance);
    return declared ? [{ name, unit: declared.unit, direction: declared.direction }] : [];
  });
}

/**
 * Returns the overall difference in each metric, over the datasets on which both models have it.
 */
function overallMetrics(compared: readonly ComparedVersion[]): UncorrectedOverall {
  const counted = compared.filter(({ counts }) => counts);
  const names = new Set(counted.flatMap(({ view }) => Object.keys(view.metrics)));
  const overall: UncorrectedOverall = {};
  for (const name of names) {
    const found = counted.flatMap(({ view }) => {
      const metric = view.metrics[name];
      return metric ? [{ weight: view.weight, difference: metric.difference, p: metric.p }] : [];
    });
    const difference = overallDifference(found);
    if (difference) overall[name] = difference;
  }
  return overall;
}

/** Returns whether two models share one run specification. */
const isSameComputation = ([a, b]: Pair): boolean =>
  a.specification !== null && b.specification !== null && a.specification?.id === b.specification?.id;

const modelView = ({ id, name, owner, kind }: Model): ComparedModel => ({ id, name, owner: owner.username, kind });

function nothingComparable([a, b]: Pair, missing: CompareView['overall']['missing']): DomainError {
  const reasons = missing.slice(0, 5).map(({ dataset, why }) => `${dataset}: ${why}`);
  return new DomainError(
    'conflict',
    'nothing_comparable',
    `"${a.name}" and "${b.name}" have no dataset in common. ${reasons.join('. ')}`.trim(),
  );
}

const notBoth = (dataset: string): DomainError =>
  new DomainError('conflict', 'nothing_comparable', `At least one model has no stored answers to "${dataset}".`);
