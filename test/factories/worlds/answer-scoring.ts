import { type AnswersToScore, scoreAnswers, type ScoringResult } from '@assay/evaluation/scoring';
import type { BlobStore } from '@assay/storage';
import { Task } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';
import { AnswerScoring } from '../../../apps/worker/src/scoring/answer-scoring.js';
import { Scorer } from '../../../apps/worker/src/scoring/scorer.js';

/** Scores in this process with the code of a worker's threads. */
class LocalScorer extends Scorer {
  constructor(private readonly blobs: BlobStore) {
    super();
  }

  override score(answers: AnswersToScore): Promise<ScoringResult> {
    return scoreAnswers(answers, this.blobs);
  }
}

/** Returns the scoring of a worker without its threads. */
export const answerScoring = (em: EntityManager, blobs: BlobStore): AnswerScoring =>
  new AnswerScoring(em, new LocalScorer(blobs), blobs);

/** Scores all answers that wait, as a worker does. */
export async function scoreWaiting(em: EntityManager, blobs: BlobStore): Promise<void> {
  const waiting = await em.execute<{ id: string; task: string }[]>(
    `select evaluation.id, dataset.task_id as task from evaluation
       join dataset_version as version on version.id = evaluation.dataset_version_id
       join dataset on dataset.id = version.dataset_id
      where evaluation.state in ('queued', 'running') and evaluation.predictions is not null
      order by dataset.perturbation is not null`,
  );
  for (const { id, task } of waiting) {
    await answerScoring(em, blobs).score(await em.fork().findOneOrFail(Task, task), id);
  }
}
