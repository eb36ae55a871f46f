import { Outbox } from '@assay/persistence/outbox';
import type { Task } from '@assay/tasks';
import { type EntityManager, LockMode } from '@mikro-orm/postgresql';
import { Annotation } from '../annotating/annotation.js';
import { fooledRuleOf, isAcceptable, isFooled } from '../annotating/fooled-rule.js';
import { collectionOf } from '../people/eligibility.js';
import { ContextRepository } from '../rounds/context.repository.js';
import { agreesWith } from './agreement.js';
import { consensus, type Decision } from './consensus.js';
import { sameLabel } from './judged-labels.js';
import { Validation } from './validation.js';

/**
 * Locks the annotation until the transaction ends, so that decisions on it are made one at a time.
 */
export const lockAnnotation = async (em: EntityManager, id: string): Promise<Annotation> =>
  em.findOneOrFail(Annotation, id, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true });

/**
 * Decides a locked annotation if its validations reach a decision. Gold checks are never decided.
 */
export async function settle(em: EntityManager, task: Task, annotation: Annotation, now: Date): Promise<void> {
  if (annotation.outcome !== 'pending' || annotation.isCheck) return;
  const given = await em.find(
    Validation,
    { annotation, verdict: { $ne: null }, byOwner: false },
    { orderBy: { answeredAt: 'asc', id: 'asc' } },
  );
  const decision = consensus(
    given.map(({ verdict, rightLabel, modelWrong }) => ({
      verdict: verdict!,
      rightLabel: rightLabel ?? null,
      modelWrong: modelWrong ?? null,
    })),
    collectionOf(task),
    (one, other) => sameLabel(task.definition, one, other),
  );
  if (decision) await decide(em, { task, annotation, decision, decidedByOwner: false }, now);
}

/**
 * Writes the decision on a locked annotation: its outcome, its label, and whether it fooled the
 * target models under that label. Updates the counter of its context, stores which verdicts agree,
 * and emits `annotation.decided`.
 */
export async function decide(
  em: EntityManager,
  given: {
    readonly task: Task;
    readonly annotation: Annotation;
    readonly decision: Decision;
    readonly decidedByOwner: boolean;
  },
  now: Date,
): Promise<void> {
  const { task, annotation, decision, decidedByOwner } = given;
  const fooled = fooledBy(task, annotation, decision);
  if (annotation.fooled !== fooled && annotation.context && annotation.retractedAt === null) {
    const change = Number(fooled === true) - Number(annotation.fooled === true);
    if (change !== 0) await new ContextRepository(em).count(annotation.context.id, { fooled: change });
  }
  const label = decision.label ?? annotation.authorLabel;
  Object.assign(annotation, { outcome: decision.outcome, label, fooled, decidedByOwner, decidedAt: now });
  for (const given of await em.find(Validation, { annotation, verdict: { $ne: null } })) {
    given.agrees = agreesWith(task.definition, annotation, given);
  }
  Outbox.add(em, 'annotation.decided', { annotationId: annotation.id });
}

/**
 * Returns whether the annotation fooled its target models, given the decision. Recomputed if the
 * decision changes the label. Under the rule `ask`, an answer that equals the new label means not
 * fooled; otherwise the validators' opinion counts, and without one the previous value stays.
 */
function fooledBy(task: Task, annotation: Annotation, { label, modelWrong }: Decision): boolean | null {
  const { definition } = task;
  const settings = collectionOf(task);
  const rule = fooledRuleOf(definition.output, settings);
  const { answers } = annotation;
  const before = annotation.fooled ?? null;
  if (rule === 'ask') {
    if (answers.length === 0) return before;
    const isAnswered = label !== null && answers.some(({ answer }) => isAcceptable(definition, label, answer));
    return isAnswered ? false : (modelWrong ?? before);
  }
  const counts = label ?? annotation.authorLabel;
  if (label === null && sameLabel(definition, counts, annotation.label)) return before;
  return isFooled(rule, definition, counts, answers, settings.facing);
}
