import type { Collection } from '@assay/contracts';
import type { User } from '@assay/identity';
import { newId, type Rng } from '@assay/kernel';
import { holdAdvisoryLock } from '@assay/persistence';
import type { Round, Task } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Annotation } from '../annotating/annotation.js';
import { collectionOf } from '../people/eligibility.js';
import { type ItemKind, type KindCounts, nextKind } from './item-kind.js';
import { Validation } from './validation.js';

/**
 * Milliseconds for which an unanswered validation stays assigned to a validator. After that, the
 * example may go to another one.
 */
export const ASSIGNED_MILLISECONDS = 15 * 60_000;

export interface Validator {
  readonly user: User;
  readonly pseudonym: string;
}

/** SQL for the `ItemKind` of an annotation `a`. */
const KIND = `case when a.is_check then 'check' when a.fooled then 'fooling' else 'other' end`;

/**
 * Assigns an example of the round to a validator. Returns null if none is left for them. Holds an
 * advisory lock on the assignments of the round until the transaction ends, so that no example has
 * more open validations than it still needs.
 */
export async function handOut(
  em: EntityManager,
  { task, round, validator, now }: { task: Task; round: Round; validator: Validator; now: Date },
  rng: Rng,
): Promise<Validation | null> {
  await holdAdvisoryLock(em, `hand-out ${round.id}`);
  const settings = collectionOf(task);
  const since = new Date(now.getTime() - ASSIGNED_MILLISECONDS);
  const drawn = await drawnItems(em, { round, validator, settings, since });
  const left = countsOf(drawn.map(({ kind, total }) => [kind, total]));
  const seen = await seenKinds(em, round, validator);
  const kind = nextKind({ seen, left, nonFooling: settings.nonFooling }, `${round.id} ${validator.user.id}`, rng);
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

interface DrawnItem {
  readonly kind: ItemKind;
  readonly id: string;
  /** The number of items of this kind that may be assigned to the validator. */
  readonly total: number;
}

/** Returns one item of each kind: a random one among those with the fewest validations. */
async function drawnItems(
  em: EntityManager,
  { round, validator, settings, since }: { round: Round; validator: Validator; settings: Collection; since: Date },
): Promise<DrawnItem[]> {
  const { validations, mostValidations, sameAuthor } = settings;
  return em.execute<DrawnItem[]>(
    `select kind, id, total from (
       select kind, id, cast(count(*) over (partition by kind) as int) as total,
              row_number() over (partition by kind order by load, random()) as place
       from (
         select a.id, ${KIND} as kind, t.complete + t.under_way as load
         from annotation a cross join lateral (
           select count(v.verdict) as complete,
                  count(*) filter (where v.verdict is null and v.created_at > :since) as under_way,
                  greatest(count(*) filter (where v.verdict = 'correct'), count(*) filter (where v.verdict = 'incorrect'),
                           count(*) filter (where v.verdict = 'flagged')) as most_alike
           from validation v where v.annotation_id = a.id and not v.by_owner
         ) t
         where a.round_id = :round and a.outcome = 'pending' and a.retracted_at is null
           and (a.is_check or a.answered_at is not null)
           and a.annotator_id is distinct from :user and a.pseudonym <> :pseudonym
           and not exists (select 1 from validation v where v.annotation_id = a.id and v.validator_id = :user
                           and (v.verdict is not null or v.by_owner or v.created_at > :since))
           -- who was shown it to change it has seen its label
           and not exists (select 1 from assignment shown where shown.contrast_to_id = a.id and shown.user_id = :user)
           and (a.source <> 'written' or a.pseudonym not in (
             select b.pseudonym from validation v join annotation b on b.id = v.annotation_id
             where v.validator_id = :user and b.round_id = :round group by b.pseudonym having count(*) >= :cap))
           and (a.is_check or t.under_way < greatest(1, least(:needed - t.most_alike, :most - t.complete)))
       ) items
     ) placed where place = 1`,
    {
      since,
      round: round.id,
      user: validator.user.id,
      pseudonym: validator.pseudonym,
      cap: sameAuthor,
      needed: validations,
      most: Math.max(validations, mostValidations),
    },
  );
}

async function seenKinds(em: EntityManager, round: Round, { user }: Validator): Promise<KindCounts> {
  const rows = await em.execute<{ kind: ItemKind; seen: number }[]>(
    `select ${KIND} as kind, count(*)::int as seen from validation v join annotation a on a.id = v.annotation_id
     where v.validator_id = ? and a.round_id = ? and not v.by_owner group by kind`,
    [user.id, round.id],
  );
  return countsOf(rows.map(({ kind, seen }) => [kind, seen]));
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
