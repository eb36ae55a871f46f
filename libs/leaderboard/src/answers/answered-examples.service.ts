import type {
  AnsweredExamples,
  AnsweredExamplesQuery,
  ComparedExamples,
  ComparedExamplesQuery,
  ConfusionView,
} from '@assay/contracts/comparison';
import type { Perturbation } from '@assay/contracts/metrics';
import type { TaskDefinition } from '@assay/contracts/tasks';
import { Evaluation } from '@assay/evaluation/evaluations';
import type { Principal } from '@assay/identity';
import { DomainError } from '@assay/kernel';
import { roundedCount } from '@assay/scoring/disclosure';
import { BLOB_STORE, type BlobStore } from '@assay/storage';
import { type Model, ModelsService } from '@assay/submissions';
import { seesRoundedScores, type Task } from '@assay/tasks';
import { BenchmarksService } from '@assay/tasks/benchmarks';
import { type DatasetVersion } from '@assay/tasks/datasets';
import { namedExamples } from '@assay/tasks/examples';
import { EntityManager } from '@mikro-orm/postgresql';
import { Inject, Injectable } from '@nestjs/common';
import { whyMissing } from '../boards/board-models.js';
import { AnswersUnreadable } from '../comparison/answered-rows.js';
import { comparableCells } from '../comparison/comparable-cells.js';
import { comparedModels } from '../comparison/compared-models.js';
import { expectRightness } from '../comparison/rightness.js';
import type { AnswerIndex } from './answer-index.js';
import { AnswerIndexes } from './answer-indexes.js';
import { answeredRowsAt, answerView, exampleView, type AnsweredRow } from './answer-views.js';
import { expectReadable, whyUnreadable } from './readable-answers.js';

/** The maximum number of values of a slicing field that are counted. */
const MOST_VALUES = 200;
/** Counts over fewer examples than this could reveal individual answers. */
export const FEWEST_EXAMPLES = 10;

/** The evaluation of a model on a dataset version. */
interface Answered {
  readonly version: DatasetVersion;
  /** The version number of the dataset; for a perturbed dataset, that of its original. */
  readonly number: number;
  readonly evaluation: Evaluation;
}

/** Shows individual answers of models next to the gold outputs, from the stored predictions. */
@Injectable()
export class AnsweredExamplesService {
  private readonly indexes: AnswerIndexes;

  constructor(
    private readonly em: EntityManager,
    private readonly models: ModelsService,
    private readonly benchmarks: BenchmarksService,
    @Inject(BLOB_STORE) private readonly blobs: BlobStore,
  ) {
    this.indexes = new AnswerIndexes(blobs);
  }

  /**
   * Returns a model's answers to the active version of a dataset.
   * @throws DomainError `unknown_dataset`, `examples_hidden`, `answers_withdrawn`, `not_answered`,
   * `no_right_or_wrong`, `no_labels`
   */
  async examples(
    principal: Principal | null,
    model: Model,
    dataset: string,
    query: AnsweredExamplesQuery,
  ): Promise<AnsweredExamples> {
    const { task } = model;
    const { definition } = task;
    const { version, number, evaluation } = await this.answered(model, dataset, query.perturbation);
    await expectReadable(this.em, principal, { task, version, evaluations: [evaluation] });
    expectLabels(definition, query);
    return readable(version, async () => {
      const index = await this.indexes.of(definition, version, evaluation);
      if (query.outcome !== 'all') expectRightness(definition);
      const { outcome, slice, label, answer } = query;
      const isRight = outcome === 'all' ? undefined : outcome === 'right';
      const places = index.matching({ isRight, slice, label, answer });
      const { rows, nextCursor } = await this.page(definition, version, [evaluation], { places, ...query });
      return {
        ...namedExamples(version.dataset),
        version: number,
        metric: index.metric?.name ?? null,
        matching: places.length,
        counts: {
          ...index.counted(),
          invalid: index.invalid,
          slices: index.sliceCounts(MOST_VALUES),
          ...index.labelCounts(),
        },
        items: rows.map(({ row, answers }) => ({
          ...exampleView(row),
          ...answerView(definition, row, answers[0] ?? null),
        })),
        ...nextCursor,
      };
    });
  }

  /**
   * Returns the confusion matrix: how often each gold label was answered with each label. Counts
   * below `FEWEST_EXAMPLES` are null if `principal` may not read individual answers. Counts are rounded
   * where `principal` sees rounded scores.
   * @throws DomainError `unknown_dataset`, `not_answered`, `no_labels`
   */
  async confusion(
    principal: Principal | null,
    model: Model,
    dataset: string,
    perturbation?: Perturbation,
  ): Promise<ConfusionView> {
    const { definition } = model.task;
    const { output } = definition;
    if (output.type !== 'label') throw noLabels(definition);
    const { version, number, evaluation } = await this.answered(model, dataset, perturbation);
    const single = { task: model.task, version, evaluations: [evaluation] };
    const isWhole = (await whyUnreadable(this.em, principal, single)) === null;
    const isRounded = seesRoundedScores(principal, model.task, version.dataset);
    return readable(version, async () => {
      const index = await this.indexes.of(definition, version, evaluation);
      const counts = index.confusion()!;
      return {
        ...namedExamples(version.dataset),
        version: number,
        n: index.examples,
        labels: [...output.labels],
        counts: counts.map((row) =>
          row.map((n) => {
            if (!isWhole && n < FEWEST_EXAMPLES) return null;
            return isRounded ? roundedCount(n, index.examples) : n;
          }),
        ),
      };
    });
  }

  /**
   * Returns the examples that only one of two models, or neither, answered correctly.
   * @throws DomainError as `comparedModels` and `comparableCells`; `unknown_dataset`,
   * `examples_hidden`, `answers_withdrawn`, `not_answered`, `no_right_or_wrong`
   */
  async compared(
    principal: Principal | null,
    task: Task,
    query: Omit<ComparedExamplesQuery, 'a' | 'b'> & { readonly pair: readonly [string, string] },
  ): Promise<ComparedExamples> {
    const models = await comparedModels(this.models, principal, task, query.pair);
    const cells = await comparableCells(this.em, principal, task, models, query.asOf);
    const version = cells.versions.find(({ dataset }) => dataset.name === query.dataset && !dataset.perturbation);
    if (!version) throw unknownDataset(task, query.dataset);
    const answered = models.map((model) => ({ model, cell: cells.cell(model, version) }));
    const scored = answered.map(({ cell }) => cell).filter((cell) => typeof cell !== 'string');
    await expectReadable(this.em, principal, { task, version, evaluations: scored });
    const evaluations = answered.map(({ model, cell }) => {
      if (typeof cell === 'string') throw notAnswered(model, query.dataset, cell);
      return cell;
    });
    return readable(version, async () => {
      const { definition } = cells;
      const indexes = await Array.fromAsync(evaluations, (each) => this.indexes.of(definition, version, each));
      const [a, b] = indexes as [AnswerIndex, AnswerIndex];
      const { name: metric } = expectRightness(definition);
      const places = a.matching({ slice: query.slice }).filter((place) => isWanted(query.only, a, b, place));
      const { rows, nextCursor } = await this.page(definition, version, evaluations, { places, ...query });
      return {
        dataset: version.dataset.name,
        version: version.number,
        metric,
        matching: places.length,
        counts: jointCounts(a, b),
        items: rows.map(({ row, answers }) => ({
          ...exampleView(row),
          a: answerView(definition, row, answers[0] ?? null),
          b: answerView(definition, row, answers[1] ?? null),
        })),
        ...nextCursor,
      };
    });
  }

  private async answered(model: Model, dataset: string, perturbation?: Perturbation): Promise<Answered> {
    const versions = await this.benchmarks.activeVersions(this.em, model.task);
    const named = versions.find((each) => {
      const names = namedExamples(each.dataset);
      return names.dataset === dataset && names.perturbation === perturbation;
    });
    if (!named) throw unknownDataset(model.task, dataset);
    const evaluation = model.specification
      ? await this.em.findOne(Evaluation, { specification: model.specification.id, datasetVersion: named })
      : null;
    if (evaluation?.state !== 'scored') {
      throw notAnswered(model, dataset, whyMissing(model, evaluation ?? undefined));
    }
    const original = versions.find(({ id }) => id === named.original?.id);
    return { version: named, number: (original ?? named).number, evaluation };
  }

  private async page(
    definition: TaskDefinition,
    version: DatasetVersion,
    evaluations: readonly Evaluation[],
    { places, cursor, limit }: PageOf,
  ): Promise<{ readonly rows: readonly AnsweredRow[]; readonly nextCursor: { readonly nextCursor?: string } }> {
    const start = cursor === undefined ? 0 : Number(cursor);
    const coming = places.filter((place) => place >= start);
    const rows = await answeredRowsAt(this.blobs, definition, version, evaluations, coming.slice(0, limit));
    const next = coming[rows.length];
    return { rows, nextCursor: next === undefined ? {} : { nextCursor: String(next) } };
  }
}

interface PageOf {
  /** Ascending. */
  readonly places: readonly number[];
  readonly cursor?: string | undefined;
  readonly limit: number;
}

function isWanted(only: ComparedExamplesQuery['only'], a: AnswerIndex, b: AnswerIndex, place: number): boolean {
  const [isA, isB] = [a.isRightAt(place), b.isRightAt(place)];
  if (only === 'both_wrong') return !isA && !isB;
  if (only === undefined) return isA !== isB;
  return isA !== isB && (only === 'a') === isA;
}

function jointCounts(a: AnswerIndex, b: AnswerIndex): ComparedExamples['counts'] {
  const counts = { a: 0, b: 0, bothRight: 0, bothWrong: 0 };
  for (let place = 0; place < a.examples; place++) {
    const [isA, isB] = [a.isRightAt(place), b.isRightAt(place)];
    counts[isA === isB ? (isA ? 'bothRight' : 'bothWrong') : isA ? 'a' : 'b']++;
  }
  return counts;
}

function expectLabels(definition: TaskDefinition, { label, answer }: AnsweredExamplesQuery): void {
  if (label === undefined && answer === undefined) return;
  if (definition.output.type !== 'label') throw noLabels(definition);
}

async function readable<T>(version: DatasetVersion, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof AnswersUnreadable)) throw error;
    const { dataset } = namedExamples(version.dataset);
    const text = `The answers to "${dataset}" cannot be read (${error.message}).`;
    throw new DomainError('conflict', 'not_answered', text);
  }
}

const unknownDataset = ({ slug }: Task, name: string): DomainError =>
  new DomainError('not-found', 'unknown_dataset', `"${slug}" has no active dataset "${name.slice(0, 80)}".`);

const notAnswered = (model: Model, dataset: string, why: string): DomainError =>
  new DomainError('conflict', 'not_answered', `"${model.name}" has no answers to "${dataset}": ${why}`);

const noLabels = ({ output }: TaskDefinition): DomainError =>
  new DomainError(
    'invalid',
    'no_labels',
    `This requires an output of type label. The output of this task has the type ${output.type}.`,
  );
