import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Answer } from '@assay/contracts';
import type { TaskOutput } from '@assay/contracts/tasks';
import { failpoint } from '@assay/observability';
import { type BlobStore, PredictionsWriter } from '@assay/storage';
import type { StoredAnswers } from '../evaluations/evaluation.repository.js';
import { recordAnswers } from '../outcomes/run-outcome.js';
import type { RunClaim } from '../runs/run-lease.js';

export interface AnswersFileParts {
  readonly blobs: Pick<BlobStore, 'adopt'>;
  /** The file is in a folder of the run below it, until it is stored. */
  readonly workFolder: string;
}

/** Collects the answers of a run to one dataset in a file, and stores them for the worker to score. */
export class AnswersFile {
  private constructor(
    private readonly lease: RunClaim,
    private readonly evaluation: string,
    private readonly blobs: AnswersFileParts['blobs'],
    private readonly file: PredictionsWriter,
  ) {}

  /** @param evaluation the ID of the evaluation */
  static async create(
    lease: RunClaim,
    evaluation: string,
    output: TaskOutput,
    { blobs, workFolder }: AnswersFileParts,
  ): Promise<AnswersFile> {
    const folder = join(workFolder, lease.runId);
    await mkdir(folder, { recursive: true });
    const labels = output.type === 'label' ? output.labels.length : 0;
    const file = await PredictionsWriter.create(join(folder, evaluation), {
      labels,
      spans: output.type === 'span',
    });
    return new AnswersFile(lease, evaluation, blobs, file);
  }

  /** Appends the next answers, in the order of the dataset. Null: a tolerated invalid answer. */
  append(answers: readonly (Answer | null)[]): Promise<void> {
    return this.file.append(answers);
  }

  /**
   * Stores the file, and records the answers.
   * @throws LeaseLost
   */
  async store(facts: Omit<StoredAnswers, 'predictions' | 'invalid'>): Promise<void> {
    const { lease, evaluation, file } = this;
    await file.finish();
    const { digest: predictions } = await this.blobs.adopt(file.path);
    failpoint('before-commit', lease.runId);
    await recordAnswers(lease, evaluation, { predictions, invalid: file.invalid, ...facts });
    failpoint('after-commit', lease.runId);
  }

  /** Removes a file that was not stored. */
  discard(): Promise<void> {
    return this.file.discard();
  }
}
