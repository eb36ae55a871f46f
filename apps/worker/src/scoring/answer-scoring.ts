import {
  type Evaluation,
  EvaluationRequests,
  failScore,
  forgetPredictions,
  recordScore,
  staleEvaluation,
} from '@assay/evaluation/evaluations';
import { type AnswersToScore, originalAnswers, type ScoringResult } from '@assay/evaluation/scoring';
import { failpoint, traced } from '@assay/observability';
import { inTransaction } from '@assay/persistence/queries';
import { BLOB_STORE, type BlobStore } from '@assay/storage';
import { RunSpecification } from '@assay/submissions';
import { targetsOfArtifact } from '@assay/submissions/lineage';
import { Task } from '@assay/tasks';
import { EntityManager } from '@mikro-orm/postgresql';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { Scorer } from './scorer.js';

/** Scores the stored answers of models. No model runs. This is the only place that writes scores. */
@Injectable()
export class AnswerScoring {
  private readonly logger = new Logger(AnswerScoring.name);

  constructor(
    private readonly em: EntityManager,
    private readonly scorer: Scorer,
    @Inject(BLOB_STORE) private readonly blobs: BlobStore,
  ) {}

  /**
   * Scores an evaluation from its stored predictions, unless it has the scores of the task's
   * current definition. Idempotent: the scores are written once, and only if the evaluation is
   * unchanged since it was read.
   * @returns whether scores were written
   */
  async score(task: Task, evaluation: string): Promise<boolean> {
    const em = this.em.fork();
    const cell = await staleEvaluation(em, task, evaluation);
    if (!cell) return false;
    const result = await traced('score', { 'assay.evaluation': cell.id }, () => this.resultOf(em, task, cell));
    switch (result.kind) {
      case 'scored': {
        failpoint('before-score');
        const isWritten = await recordScore(this.em, task, cell, result.score);
        failpoint('after-score');
        return isWritten;
      }
      case 'failed':
        await failScore(this.em, task, cell, result.failure);
        break;
      case 'unreadable':
        await this.runInstead(task, cell, result.why);
    }
    return false;
  }

  private async resultOf(em: EntityManager, task: Task, cell: Evaluation): Promise<ScoringResult> {
    const original = await originalAnswers(em, cell);
    if (original?.kind === 'missing') {
      return cell.state === 'scored'
        ? { kind: 'unreadable', why: original.failure.message }
        : { kind: 'failed', failure: original.failure };
    }
    const { specification, datasetVersion } = cell;
    const against = await targetsOfArtifact(em, datasetVersion.dataset, specification.content.artifact);
    return this.scorer.score({ ...answersOf(task, cell, original), against });
  }

  /** A cell that has scores keeps them. One that has none yet waits for a run. */
  private async runInstead(task: Task, cell: Evaluation, why: string): Promise<void> {
    this.logger.warn(`the predictions of evaluation ${cell.id} cannot be used: ${why}`);
    // a run that gives the same answers would otherwise find the damaged file, which is then stored already
    await this.blobs.deleteDamaged(cell.predictions!);
    await inTransaction(this.em, async (em) => {
      await forgetPredictions(em, cell);
      if (cell.state === 'scored') return;
      const specification = await em.findOneOrFail(RunSpecification, cell.specification.id);
      await new EvaluationRequests().requestMissing(em, await em.findOneOrFail(Task, task.id), specification);
    });
  }
}

function answersOf(
  task: Task,
  cell: Evaluation,
  original: AnswersToScore['original'],
): Omit<AnswersToScore, 'against'> {
  const { dataset, digest, transforms, content, examples, repeats = null } = cell.datasetVersion;
  const { name, visibility, perturbation, collected } = dataset;
  return {
    task: task.definition,
    dataset: { name, visibility, collected },
    version: {
      digest,
      transforms: transforms ?? null,
      content,
      examples,
      // variants have the clusters of their originals
      repeats: perturbation ? 0 : repeats,
      dataset: { perturbation: perturbation ?? null },
    },
    predictions: cell.predictions!,
    original,
    timed: cell.timed ?? [],
  };
}
