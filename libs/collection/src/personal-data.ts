import { deleteOwnRows, type ErasedUser, type PersonalData } from '@assay/persistence';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Annotation } from './annotating/annotation.js';
import { AnnotationRepository } from './annotating/annotation.repository.js';
import { Validation } from './validating/validation.js';

const IN_TASK = `t.slug as task, r.number as round`;
const OF_ROUND = `join round r on r.id = x.round_id join task t on t.id = r.task_id`;

/**
 * SQL for the answers of the target models. Hides which models answered while the round is open,
 * because annotators must not know.
 */
const ANSWERS = `case when r.state <> 'open' then x.answers else (
    select coalesce(jsonb_agg(answer - '{model,specification}'::text[] order by place), '[]')
    from jsonb_array_elements(x.answers) with ordinality as said(answer, place)) end`;

/** The tables whose rows are deleted with the account, because they concern nobody else. */
const OWN_TABLES = [
  'consent',
  'consent_record',
  'badge_award',
  'appeal',
  'assignment',
  'context_mark',
  'participation',
] as const;

/** The data about a person who writes and validates examples. */
export const collectionPersonalData: PersonalData = {
  lists: {
    participations: `select x.id, ${IN_TASK}, x.condition, x.created_at as "createdAt" from participation x ${OF_ROUND} where x.user_id = ?`,
    contexts: `select x.id, ${IN_TASK}, c.external_id as context, x.state, x.goal, x.created_at as "createdAt"
    from assignment x ${OF_ROUND} join round_context c on c.id = x.context_id where x.user_id = ?`,
    contextMarks: `select x.id, ${IN_TASK}, c.external_id as context, x.kind, x.reason, x.created_at as "createdAt"
    from context_mark x join round_context c on c.id = x.context_id
    join round r on r.id = c.round_id join task t on t.id = r.task_id where x.user_id = ?`,
    examples: `select x.id, ${IN_TASK}, x.pseudonym, x.condition, x.input, x.author_label as "authorLabel", x.label, x.goal, x.fooled,
      ${ANSWERS} as answers, x.explanations, x.extra, x.findings, x.edit_distance as "editDistance", x.seconds, x.outcome, x.split,
      x.decided_by_owner as "decidedByOwner", x.created_at as "createdAt", x.decided_at as "decidedAt", x.retracted_at as "retractedAt",
      (select p.reason from appeal p where p.annotation_id = x.id) as appeal
    from annotation x ${OF_ROUND} where x.annotator_id = ?`,
    validations: `select x.id, ${IN_TASK}, x.annotation_id as annotation, x.pseudonym, x.label, x.verdict, x.right_label as "rightLabel",
      x.reason, x.extra, x.by_owner as "byOwner", x.seconds, x.created_at as "createdAt", x.answered_at as "answeredAt"
    from validation x join annotation a on a.id = x.annotation_id
    join round r on r.id = a.round_id join task t on t.id = r.task_id where x.validator_id = ?`,
    consents: `select x.id, t.slug as task, x.consent_version as "consentVersion", x.licence_version as "licenceVersion",
      x.minimum_age as "minimumAge", x.warned, x.created_at as "createdAt"
    from consent_record x join task t on t.id = x.task_id where x.user_id = ?`,
    badges: `select id, badge, created_at as "createdAt" from badge_award where user_id = ?`,
  },
  erase: (em, { id }) => deleteOwnRows(em, OWN_TABLES, id),
};

/** The numbers of a person's examples and validations that stay without a link to them. */
export interface UnlinkedWork {
  readonly annotations: number;
  readonly validations: number;
  /** The number of those examples that are part of a dataset. */
  readonly frozen: number;
}

/** Unlinks the examples and validations of a user, in the transaction of `em`. */
export async function unlinkWork(em: EntityManager, { id, text, at }: ErasedUser): Promise<UnlinkedWork> {
  const frozen = await em.count(Annotation, { annotator: id, split: { $ne: null } });
  if (text === 'remove') {
    await new AnnotationRepository(em).removeTexts(id, at);
    await em.nativeUpdate(Validation, { validator: id }, { reason: null, extra: {} });
  }
  // unanswered assignments become available to other validators
  await em.nativeDelete(Validation, { validator: id, label: null, verdict: null });
  const annotations = await em.nativeUpdate(Annotation, { annotator: id }, { annotator: null });
  const validations = await em.nativeUpdate(Validation, { validator: id }, { validator: null });
  return { annotations, validations, frozen };
}
