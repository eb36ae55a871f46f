import { Outbox } from '@assay/persistence';
import type { LivePredictions } from '@assay/serving';
import type { EntityManager } from '@mikro-orm/postgresql';
import { ContextRepository } from '../rounds/context.repository.js';
import { armOf } from '../rounds/enrolment.js';
import { RoundModel } from '../rounds/round-model.js';
import { Annotation } from './annotation.js';
import { drawOf, judge, type Judgeable, type Judgement } from './fooling-check.js';

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
  await em.fork().transactional((tx) => note(tx, id, judgement));
}

async function note(em: EntityManager, id: string, { answers, fooled, choices }: Judgement): Promise<void> {
  const [noted] = await em.execute<{ context_id: string | null; retracted_at: Date | null }[]>(
    `update annotation set answers = ?::jsonb, fooled = ?, choices = ?::jsonb, target_id = ?, answered_at = now()
     where id = ? and answered_at is null returning context_id, retracted_at`,
    [JSON.stringify(answers), fooled, choices && JSON.stringify(choices), answers[0]?.model ?? null, id],
  );
  if (!noted || noted.retracted_at !== null) return;
  if (fooled === true) await new ContextRepository(em).addFooled(noted.context_id, 1);
  Outbox.add(em, 'annotation.submitted', { annotationId: id });
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
