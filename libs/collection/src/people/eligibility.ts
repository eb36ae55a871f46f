import { type Collection, DEFAULT_COLLECTION } from '@assay/contracts/collection';
import { DomainError } from '@assay/kernel';
import type { Round, Task } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';
import { RoundRepository } from '../rounds/round.repository.js';
import { Consent } from './consent.js';

const AGE_WITH_WARNING = 18;

export const collectionOf = (task: Pick<Task, 'definition'>): Collection =>
  task.definition.collection ?? DEFAULT_COLLECTION;

/** The terms of a task; null for what is not asked. */
interface AgreedTerms {
  readonly consentVersion: string | null;
  readonly licenceVersion: string | null;
  /** In years. */
  readonly minimumAge: number | null;
  readonly warned: boolean;
}

/** Returns the terms that a person must agree to before they write or validate in a task. */
export function neededConsent(task: Pick<Task, 'definition'>): AgreedTerms {
  const { consent, licence, contentWarning, minimumAge } = collectionOf(task);
  return {
    consentVersion: consent?.version ?? null,
    licenceVersion: licence?.version ?? null,
    minimumAge: minimumAge ?? (contentWarning === undefined ? null : AGE_WITH_WARNING),
    warned: contentWarning !== undefined,
  };
}

/**
 * Returns whether the given consent covers the needed terms. Consent to another version does not.
 */
export function isEnoughConsent(needed: AgreedTerms, given: Pick<Consent, keyof AgreedTerms> | null): boolean {
  return (
    (needed.consentVersion === null || given?.consentVersion === needed.consentVersion) &&
    (needed.licenceVersion === null || given?.licenceVersion === needed.licenceVersion) &&
    (given?.minimumAge ?? 0) >= (needed.minimumAge ?? 0) &&
    (given?.warned === true || !needed.warned)
  );
}

/** @throws DomainError `consent_needed` if the person has not agreed to the task's current terms */
export async function requireConsent(em: EntityManager, task: Task, userId: string): Promise<void> {
  const needed = neededConsent(task);
  if (isEnoughConsent(needed, null) || isEnoughConsent(needed, await em.findOne(Consent, { task, user: userId })))
    return;
  throw new DomainError(
    'forbidden',
    'consent_needed',
    `"${task.slug}" requires your consent. Read GET /tasks/${task.slug}/consent, then agree by POST to the same path.`,
  );
}

/**
 * @throws DomainError `own_model_in_round` if the person owns a model that is or was in the loop of
 *   the round: they neither write nor validate in it
 */
export async function requireUnrelated(em: EntityManager, round: Round, userId: string): Promise<void> {
  if (!(await new RoundRepository(em).hasModelOf(round.id, userId))) return;
  throw new DomainError(
    'forbidden',
    'own_model_in_round',
    'One of your models is or was in the loop of this round. You cannot write or validate examples in it.',
  );
}
