import type { Answer } from '@assay/contracts';
import type { Visibility } from '@assay/contracts/datasets';
import { failure, type Failure, withheldFailure } from '@assay/contracts/models';
import type { TaskDefinition } from '@assay/contracts/tasks';
import { percent } from '@assay/contracts/text';
import { DomainError } from '@assay/kernel';
import { type BlobStore, StoredAnswers } from '@assay/storage';
import { type DatasetRow, clusteredRows } from '@assay/tasks/examples';
import type { RestScore } from '../evaluations/evaluation.js';
import type { ComputedScore } from '../evaluations/evaluation.repository.js';
import type { Answered } from './original-answers.js';
import { type DatasetComputation, scoreComputation, type ScoredVersion } from './score-computation.js';
import { worseWhenTimed } from './timed-accuracy.js';
import { unreadableDataset } from './unreadable-dataset.js';

/** The stored answers of a model to one dataset version. Plain data, which a thread can receive. */
export interface AnswersToScore {
  readonly task: TaskDefinition;
  readonly dataset: {
    readonly name: string;
    readonly visibility: Visibility;
    /** True for a collected round, whose examples are clustered by annotator and context. */
    readonly collected: boolean;
  };
  readonly version: ScoredVersion & {
    /** The blob with the examples. */
    readonly content: string;
    readonly examples: number;
    /** The number of examples whose inputs are those of an earlier one; null if it is not known. */
    readonly repeats: number | null;
  };
  /** The blob of the predictions file. */
  readonly predictions: string;
  /** For a perturbed version: the model's answers to the originals. */
  readonly original: Answered | null;
  /**
   * IDs of the models that the dataset was collected against and that are the model, or in its lineage.
   * If there are any, the examples that were written against other models are scored as well.
   */
  readonly against: readonly string[];
  /** The indexes of the examples that were also sent as single, timed requests. */
  readonly timed: readonly number[];
}

/** The result of scoring. A platform failure is never a result: it throws. */
export type ScoringResult =
  | { readonly kind: 'scored'; readonly score: ComputedScore }
  /** The answers have no score. */
  | { readonly kind: 'failed'; readonly failure: Failure }
  /** The predictions file is missing, damaged or does not match the dataset: a run must answer again. */
  | { readonly kind: 'unreadable'; readonly why: string };

/** The stored predictions are missing or do not match the dataset. */
class PredictionsUnreadable extends Error {}

/**
 * Joins stored answers with the gold outputs of their dataset, and computes the metrics, slices and
 * intervals.
 */
export async function scoreAnswers(
  answers: AnswersToScore,
  blobs: Pick<BlobStore, 'open' | 'path' | 'put'>,
): Promise<ScoringResult> {
  try {
    return await compute(answers, blobs);
  } catch (error) {
    const unreadable = unreadableDataset(error, answers.dataset);
    if (unreadable) return { kind: 'failed', failure: unreadable };
    if (error instanceof PredictionsUnreadable) return { kind: 'unreadable', why: error.message };
    if (error instanceof DomainError && error.kind === 'invalid') {
      return { kind: 'failed', failure: failure('task_misconfigured', error.message) };
    }
    throw error;
  }
}

async function compute(
  { task, dataset, version, predictions, original, against, timed }: AnswersToScore,
  blobs: Pick<BlobStore, 'open' | 'path' | 'put'>,
): Promise<ScoringResult> {
  const stored = await readable(async () => StoredAnswers.open(await blobs.path(predictions)));
  if (stored.rows !== version.examples) {
    throw new PredictionsUnreadable(`${stored.rows} predictions for ${version.examples} examples`);
  }
  const computation = scoreComputation(task, version, blobs, original);
  const rest =
    against.length > 0 ? new RestComputation(against, restComputation(task, version, blobs, original)) : null;
  const check = new TimedCheck(timed);
  for await (const rows of clusteredRows(task, () => blobs.open(version.content), version.repeats, dataset.collected)) {
    const answers = await readable(() => stored.take(rows.length));
    check.add(rows, answers);
    await computation.add(rows, answers);
    await rest?.add(rows, answers);
  }
  const failed = check.failure();
  if (failed)
    return { kind: 'failed', failure: dataset.visibility === 'hidden' ? withheldFailure(failed.code) : failed };
  return { kind: 'scored', score: { ...(await computation.finish()), rest: (await rest?.finish()) ?? null } };
}

/** Other draws than those of the whole dataset, because the clusters are others. */
const restComputation: typeof scoreComputation = (task, version, blobs, original) =>
  scoreComputation(task, { ...version, digest: `${version.digest} rest` }, blobs, original);

/** Scores the answers to the examples that were written against other models than the given ones. */
class RestComputation {
  private readonly against: ReadonlySet<string>;
  private examples = 0;

  constructor(
    against: readonly string[],
    private readonly computation: DatasetComputation,
  ) {
    this.against = new Set(against);
  }

  /** An example whose target models are not known may have been written against any of them. */
  async add(rows: readonly DatasetRow[], answers: readonly (Answer | null)[]): Promise<void> {
    const places = Array.from(rows.keys()).filter((place) => {
      const { targets } = rows[place]!;
      return targets !== undefined && !targets.some((id) => this.against.has(id));
    });
    this.examples += places.length;
    await this.computation.add(
      places.map((place) => rows[place]!),
      places.map((place) => answers[place] ?? null),
    );
  }

  /** Returns null if there are no such examples. */
  async finish(): Promise<RestScore | null> {
    if (this.examples === 0) return null;
    const { metrics, sliceSpreads, resamples } = await this.computation.finish();
    return { examples: this.examples, metrics, sliceSpreads, resamples };
  }
}

/** Compares the answers to timed rows with those to the other rows of the same part of a dataset. */
class TimedCheck {
  private readonly rows: DatasetRow[] = [];
  private readonly answers: (Answer | null)[] = [];
  private readonly timed: ReadonlySet<number>;
  private readonly last: number;

  constructor(timed: readonly number[]) {
    this.timed = new Set(timed);
    this.last = timed.reduce((last, index) => Math.max(last, index), -1);
  }

  add(rows: readonly DatasetRow[], answers: readonly (Answer | null)[]): void {
    for (const [place, row] of rows.entries()) {
      if (row.index > this.last) return;
      this.rows.push(row);
      this.answers.push(answers[place] ?? null);
    }
  }

  failure(): Failure | null {
    const worse = worseWhenTimed(this.rows, this.answers, this.timed);
    if (!worse) return null;
    const { timed, others } = worse;
    return failure(
      'inconsistent',
      `Answers to single, timed requests are correct for ${percent(timed)}% of the examples, answers to others for ${percent(others)}%. ` +
        'Answer single requests as well as batches.',
    );
  }
}

/**
 * Returns the result of reading stored predictions. An invalid file is a permanent problem; a
 * system error may be temporary and is thrown unchanged.
 * @throws PredictionsUnreadable if the file is invalid
 */
async function readable<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (typeof (error as NodeJS.ErrnoException).errno === 'number') throw error;
    throw new PredictionsUnreadable(`its predictions cannot be read: ${(error as Error).message}`, { cause: error });
  }
}
