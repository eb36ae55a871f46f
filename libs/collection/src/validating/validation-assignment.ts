import type { User } from '@assay/identity';
import { newId, type Rng } from '@assay/kernel';
import { holdAdvisoryLock } from '@assay/persistence/locks';
import type { Round, Task } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Annotation } from '../annotating/annotation.js';
import { collectionOf } from '../people/eligibility.js';
import { type ItemKind, type KindCounts, nextKind } from './item-kind.js';
import { Validation } from './validation.js';
import { ValidationRepository } from './validation.repository.js';

/**
 * Milliseconds for which an unanswered validation stays assigned to a validator. After that, the
 * example may go to another one.
 */
export const ASSIGNED_MILLISECONDS = 15 * 60_000;

export interface Validator {
  readonly user: User;
  readonly pseudonym: string;
}

/**
 * Assigns an example of the round to a validator. Returns null if none is left for them. Holds an
 * advisory lock on the assignments of the round until the transaction ends, so that no example has
 * more open validations than it still needs.
 */
export async function assignValidation(
  em: EntityManager,
  { task, round, validator, now }: { task: Task; round: Round; validator: Validator; now: Date },
  rng: Rng,
): Promise<Validation | null> {
  await holdAdvisoryLock(em, `validation-assignment ${round.id}`);
  const settings = collectionOf(task);
  const since = new Date(now.getTime() - ASSIGNED_MILLISECONDS);
  const { pseudonym, user } = validator;
  const repository = new ValidationRepository(em);
  const drawn = await repository.draw({ round: round.id, user: user.id, pseudonym, since }, settings);
  const left = countsOf(drawn.map(({ kind, total }) => [kind, total]));
  const seen = countsOf((await repository.seenKinds(round.id, user.id)).map((each) => [each.kind, each.seen]));
  const kind = nextKind({ seen, left, nonFooling: settings.nonFooling }, `${round.id} ${user.id}`, rng);
  const item = drawn.find((each) => each.kind === kind);
  return item ? handTo(em, item.id, validator, now) : null;
}

/**
 * Returns the example of the round that is assigned to the user and not answered yet, or null.
 * @param since assignments made before this time are ignored
 */
export async function openItem(
  em: EntityManager,
  round: Round,
  userId: string,
  since: Date,
): Promise<Validation | null> {
  return em.findOne(
    Validation,
    {
      validator: userId,
      verdict: null,
      createdAt: { $gt: since },
      annotation: { round, outcome: 'pending', retractedAt: null },
    },
    { populate: ['annotation'], orderBy: { createdAt: 'desc' } },
  );
}

/**
 * Assigns the annotation to the validator. A validator whose earlier assignment expired may get the
 * same annotation again; the row of that assignment is reused.
 */
async function handTo(em: EntityManager, id: string, validator: Validator, now: Date): Promise<Validation> {
  const annotation = await em.findOneOrFail(Annotation, id);
  const earlier = await em.findOne(Validation, { annotation, validator: validator.user });
  const { user, pseudonym } = validator;
  const validation =
    earlier ?? em.create(Validation, { id: newId(), annotation, validator: user, pseudonym }, { persist: true });
  validation.createdAt = now;
  await em.flush();
  return validation;
}

const countsOf = (counts: readonly (readonly [ItemKind, number])[]): KindCounts => ({
  ...{ fooling: 0, other: 0, check: 0 },
  ...Object.fromEntries(counts),
});
