import type { Collection } from '@assay/contracts/collection';
import { newId } from '@assay/kernel';
import { preparedEntities, preparedRows, Repository, uuidArray } from '@assay/persistence/queries';
import { Annotation, ITEM_KIND, TO_VALIDATE } from '../annotating/annotation.js';
import { countsOf, type ItemKind, type KindCounts } from './item-kind.js';
import { Validation } from './validation.js';

/** A validator who requests an example of a round. */
export interface RequestingValidator {
  readonly round: string;
  readonly user: string;
  readonly pseudonym: string;
  /** Unanswered assignments made before this time do not count. */
  readonly since: Date;
}

/** The examples that a validator was assigned in a round so far. */
export interface AssignedSoFar {
  /** The number of examples by kind, without those that the validator decided as the owner. */
  readonly kinds: KindCounts;
  /** The number of examples by the pseudonym of their author. */
  readonly authors: ReadonlyMap<string, number>;
}

/**
 * SQL for the validations of an annotation `a`: how many are `complete`, how many are `under_way`,
 * and how many verdicts agree (`most_alike`).
 */
const countedSince = (since: string): string => `(
  select count(v.verdict) as complete,
         count(*) filter (where v.verdict is null and v.created_at > ${since}::timestamptz) as under_way,
         greatest(count(*) filter (where v.verdict = 'correct'), count(*) filter (where v.verdict = 'incorrect'),
                  count(*) filter (where v.verdict = 'flagged')) as most_alike
  from validation v where v.annotation_id = a.id and not v.by_owner)`;

/**
 * SQL for an annotation `a` with validations `t` that may be assigned once more. An example is
 * assigned no more often at a time than the verdicts that it still needs at least, so that no
 * validator's work is wasted.
 */
const hasRoomFor = (needed: string, most: string): string =>
  `(a.is_check or t.under_way < greatest(1, least(${needed}::int - t.most_alike, ${most}::int - t.complete)))`;

const CANDIDATES = `
select kind, json_agg(id order by load, random()) as ids
from unnest(array['fooling', 'other', 'check']) as kind cross join lateral (
  select a.id, t.complete + t.under_way as load
  from annotation a cross join lateral ${countedSince('$4')} t
  where a.round_id = $1::uuid and ${ITEM_KIND} = kind and ${TO_VALIDATE}
    and a.annotator_id is distinct from $2::uuid and a.pseudonym <> $3::text
    and not exists (select 1 from validation v where v.annotation_id = a.id and v.validator_id = $2::uuid
                    and (v.verdict is not null or v.by_owner or v.created_at > $4::timestamptz))
    -- a user who was shown it to change it has seen its label
    and not exists (select 1 from assignment shown where shown.contrast_to_id = a.id and shown.user_id = $2::uuid)
    and (a.source <> 'written' or a.pseudonym <> all($5::text[]))
    and ${hasRoomFor('$6', '$7')}
  order by a.verdict_count, right(cast(a.id as text), 8) limit $8::int
) items group by kind`;

const ASSIGN = `
insert into validation (id, annotation_id, validator_id, pseudonym, extra, by_owner, created_at)
select $5::uuid, a.id, $6::uuid, $7::text, '{}', false, $8::timestamptz
from annotation a cross join lateral ${countedSince('$2')} t
where a.id = $1::uuid and ${TO_VALIDATE} and ${hasRoomFor('$3', '$4')}
on conflict (annotation_id, validator_id) do update set created_at = excluded.created_at
returning *`;

const LOCK_FREE = `
select a.* from unnest($1::uuid[]) with ordinality as wanted(id, place) join annotation a on a.id = wanted.id
order by wanted.place limit 1 for no key update of a skip locked`;

const LOCK = 'select * from annotation where id = $1::uuid for no key update';

const OPEN_ITEM = `
select v.* from validation v join annotation a on a.id = v.annotation_id
where v.validator_id = $1::uuid and v.verdict is null and v.created_at > $3::timestamptz
  and a.round_id = $2::uuid and a.outcome = 'pending' and a.retracted_at is null
order by v.created_at desc limit 1`;

// materialized, because parallel workers would take longer to start than the query takes
const ASSIGNED_SO_FAR = `
with own as materialized (select annotation_id, by_owner from validation where validator_id = $1::uuid)
select a.pseudonym, ${ITEM_KIND} as kind, own.by_owner as "isOwner", count(*)::int as count
from own join annotation a on a.id = own.annotation_id where a.round_id = $2::uuid group by 1, 2, 3`;

const limitsOf = ({ validations, mostValidations }: Collection) => ({
  needed: validations,
  most: Math.max(validations, mostValidations),
});

/** The examples of the database that may be assigned to validators. */
export class ValidationAssignmentRepository extends Repository {
  /**
   * Returns the IDs of at most `most` examples of each kind that may be assigned to a validator.
   * Examples with the fewest validations come first, in random order.
   * @param full pseudonyms of authors of whom the validator may see no more examples
   */
  async candidates(
    validator: RequestingValidator,
    settings: Collection,
    full: readonly string[],
    most: number,
  ): Promise<Record<ItemKind, string[]>> {
    const { needed, most: mostVerdicts } = limitsOf(settings);
    const rows = await preparedRows<{ kind: ItemKind; ids: string[] }>(this.em, CANDIDATES, [
      ...[validator.round, validator.user, validator.pseudonym, validator.since, uuidArray(full)],
      ...[needed, mostVerdicts, most],
    ]);
    return { fooling: [], other: [], check: [], ...Object.fromEntries(rows.map(({ kind, ids }) => [kind, ids])) };
  }

  /** Returns the number of examples of a round that await validators, by kind. */
  async awaiting(round: string): Promise<KindCounts> {
    return countsOf(
      await this.em.execute<{ kind: ItemKind; count: number }[]>(
        `select ${ITEM_KIND} as kind, count(*)::int as count from annotation
         where round_id = ? and ${TO_VALIDATE} group by kind`,
        [round],
      ),
    );
  }

  /**
   * Locks the first of the annotations that no other transaction has locked, and returns it. The
   * lock lasts until the transaction ends.
   */
  async lockFree(ids: readonly string[]): Promise<Annotation | null> {
    const [locked] = await preparedEntities(this.em, Annotation, LOCK_FREE, [uuidArray(ids)]);
    return locked ?? null;
  }

  /** Locks an annotation until the transaction ends, and returns it. Waits while another transaction has locked it. */
  async lock(id: string): Promise<Annotation> {
    const [locked] = await preparedEntities(this.em, Annotation, LOCK, [id]);
    return locked!;
  }

  /**
   * Assigns an annotation, which must be locked, to a validator, if it may be assigned once more. A
   * validator whose earlier assignment expired may get the same annotation again; the row of that
   * assignment is reused.
   * @returns null if the annotation may not be assigned
   */
  async assign(
    annotation: Annotation,
    { user, pseudonym, since }: Omit<RequestingValidator, 'round'>,
    settings: Collection,
    now: Date,
  ): Promise<Validation | null> {
    const { needed, most } = limitsOf(settings);
    const values = [annotation.id, since, needed, most, newId(), user, pseudonym, now];
    const [assigned] = await preparedEntities(this.em, Validation, ASSIGN, values);
    return assigned ?? null;
  }

  /**
   * Returns the newest validation of a user in a round that has no verdict and awaits a decision,
   * with its annotation, or null. Ignores assignments made before `since`.
   */
  async openItem(round: string, user: string, since: Date): Promise<Validation | null> {
    const [open] = await preparedEntities(this.em, Validation, OPEN_ITEM, [user, round, since]);
    if (!open) return null;
    await preparedEntities(this.em, Annotation, 'select * from annotation where id = $1::uuid', [open.annotation.id]);
    return open;
  }

  /** Returns the examples that were assigned to a user in a round so far. */
  async assignedSoFar(round: string, user: string): Promise<AssignedSoFar> {
    const rows = await preparedRows<{ pseudonym: string; kind: ItemKind; isOwner: boolean; count: number }>(
      this.em,
      ASSIGNED_SO_FAR,
      [user, round],
    );
    const authors = new Map<string, number>();
    for (const { pseudonym, count } of rows) authors.set(pseudonym, (authors.get(pseudonym) ?? 0) + count);
    return { kinds: countsOf(rows.filter(({ isOwner }) => !isOwner)), authors };
  }
}
