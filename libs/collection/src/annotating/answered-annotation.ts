import { Outbox } from '@assay/persistence/outbox';
import type { LivePredictions } from '@assay/serving';
import type { EntityManager } from '@mikro-orm/postgresql';
import { ContextRepository } from '../rounds/context.repository.js';
import { armOf } from '../rounds/enrolment.js';
import { RoundModel } from '../rounds/round-model.js';
import { Annotation } from './annotation.js';
import { AnnotationRepository } from './annotation.repository.js';
import { drawOf, judge, type Judgeable } from './fooling-check.js';

/**
 * Asks the target models about a stored annotation and stores their answers. Only the first call
 * stores anything. May run long after the annotation was sent, even after the round has closed.
 * @throws DomainError as `LivePredictions.predict`; the annotation then still waits for answers
 */
export async function answerAnnotation(em: EntityManager, live: LivePredictions, id: string): Promise<void> {
  const annotation = await em.findOneOrFail(Annotation, id, { populate: ['round.task', 'context'] });
  if (annotation.answeredAt) return;
  const { round, context, annotator, condition, input, authorLabel, fooled } = annotation;
  await answerExample(em, live, id, {
    task: round.task,
    round,
    context: context ?? null,
    condition: condition ?? null,
    input,
    gold: authorLabel,
    draw: drawOf(context?.id ?? id, annotator?.id ?? annotation.pseudonym),
    claimed: fooled ?? null,
  });
}

/** As `answerAnnotation`, for callers that have the annotation's data already. */
export async function answerExample(
  em: EntityManager,
  live: LivePredictions,
  id: string,
  example: Judgeable,
): Promise<void> {
  const judgement = await judge(em, live, example);
  await em.fork().transactional(async (tx) => {
    const stored = await new AnnotationRepository(tx).storeAnswers(id, judgement);
    if (!stored || stored.retractedAt) return;
    if (judgement.fooled) await new ContextRepository(tx).count(stored.context, { fooled: 1 });
    Outbox.add(tx, 'annotation.submitted', { annotationId: id });
  });
}

/**
 * Returns whether the annotation has target models and the round closed before any of them
 * answered.
 */
export async function isGivenUp(
  em: EntityManager,
  { round, condition, answers, createdAt }: Annotation,
): Promise<boolean> {
  if (round.state === 'open' || answers.length > 0 || !armOf(round, condition ?? null).model) return false;
  return (await em.count(RoundModel, { round, since: { $lte: createdAt } })) > 0;
}
