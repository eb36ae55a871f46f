import { rm } from 'node:fs/promises';
import type { Answer } from '@assay/contracts';
import type { TaskDefinition } from '@assay/contracts/tasks';
import type { ComputedScore } from '../evaluations/evaluation.repository.js';
import { PredictionsWriter, type BlobStore } from '@assay/storage';
import type { DatasetRow } from '@assay/tasks/examples';
import type { Answered } from './original-answers.js';
import { scoreComputation, type DatasetComputation, type ScoredVersion } from './score-computation.js';

export interface DatasetScoreParts {
  readonly task: TaskDefinition;
  readonly version: ScoredVersion;
  readonly blobs: Pick<BlobStore, 'open' | 'path' | 'put'>;
  /** For a perturbed version: the model's answers to the originals. */
  readonly original?: Answered | null;
  /** Path of the predictions file to be written. */
  readonly path: string;
}

/**
 * Consumes the answers to a dataset in its order, computes its metrics and slices, and writes the
 * predictions file.
 */
export class DatasetScore {
  private constructor(
    private readonly computation: DatasetComputation,
    private readonly writer: PredictionsWriter,
    /** Path of the predictions file. */
    readonly path: string,
  ) {}

  static async create({ task, version, blobs, original, path }: DatasetScoreParts): Promise<DatasetScore> {
    const labels = task.output.type === 'label' ? task.output.labels.length : 0;
    const computation = scoreComputation(task, version, blobs, original ?? null);
    return new DatasetScore(computation, await PredictionsWriter.create(path, { labels }), path);
  }

  /** Adds the next rows with their answers. Null is a bad answer that the task tolerates. */
  async add(rows: readonly DatasetRow[], answers: readonly (Answer | null)[]): Promise<void> {
    await this.computation.add(rows, answers);
    await this.writer.append(answers);
  }

  /** Completes the predictions file, which then belongs to the caller. */
  async finish(): Promise<ComputedScore & { readonly invalid: number }> {
    await this.writer.finish();
    return { ...(await this.computation.finish()), invalid: this.computation.invalid };
  }

  async discard(): Promise<void> {
    await this.writer.abandon().catch(() => undefined);
    await rm(this.path, { force: true });
  }
}
