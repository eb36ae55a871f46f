import type { AnnotationOutcome, Collection, Verdict } from '@assay/contracts/collection';
import type { MyExamples } from '@assay/contracts/people';
import { Repository, uuidArray } from '@assay/persistence/queries';
import type { AnsweredExample } from '@assay/scoring';
import type { ItemKind } from './item-kind.js';

/** An example that may be assigned to a validator. */
export interface DrawnItem {
  readonly kind: ItemKind;
  readonly id: string;
  /** The number of items of this kind that may be assigned to the validator. */
  readonly total: number;
}

/** A validation with what was decided about its example. */
export interface GivenValidation {
  readonly pseudonym: string;
  readonly label: readonly string[] | null;
  readonly verdict: Verdict | null;
  readonly rightLabel: readonly string[] | null;
  readonly seconds: number | null;
  readonly isCheck: boolean;
  readonly fooled: boolean | null;
  readonly outcome: AnnotationOutcome;
  readonly rightNow: readonly string[];
  readonly authorLabel: readonly string[];
}

/** The answers of the validators of one example, in the same order. */
export interface RatedExample {
  readonly labels: readonly (readonly string[] | null)[];
  readonly verdicts: readonly (string | null)[];
}

/** The number of verdicts on an annotation, except those of owners, and all reasons in order. */
export type Verdicts = Pick<MyExamples['items'][number], 'verdicts' | 'reasons'>;

/** SQL for the `ItemKind` of an annotation `a`. */
const KIND = `case when a.is_check then 'check' when a.fooled then 'fooling' else 'other' end`;

/** The validations of the database. */
export class ValidationRepository extends Repository {
  /**
   * Returns one item of each kind that may be assigned to a validator: a random one among those
   * with the fewest validations. An example without a decision is assigned no more often at a time
   * than the verdicts that it still needs at least, so that no validator's work is wasted.
   * Unanswered assignments made before `since` do not count.
   */
  draw(
    validator: { readonly round: string; readonly user: string; readonly pseudonym: string; readonly since: Date },
    { validations, mostValidations, sameAuthor }: Collection,
  ): Promise<DrawnItem[]> {
    return this.em.execute<DrawnItem[]>(
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
               where v.validator_id = :user and b.round_id = :round group by b.pseudonym having count(*) >= :sameAuthor))
             and (a.is_check or t.under_way < greatest(1, least(:needed - t.most_alike, :most - t.complete)))
         ) items
       ) placed where place = 1`,
      { ...validator, needed: validations, most: Math.max(validations, mostValidations), sameAuthor },
    );
  }

  /** Returns the number of items assigned to a validator in a round so far, by kind. */
  seenKinds(round: string, user: string): Promise<{ readonly kind: ItemKind; readonly seen: number }[]> {
    return this.em.execute<{ kind: ItemKind; seen: number }[]>(
      `select ${KIND} as kind, count(*)::int as seen from validation v join annotation a on a.id = v.annotation_id
       where v.validator_id = ? and a.round_id = ? and not v.by_owner group by kind`,
      [user, round],
    );
  }

  /** Returns the validations of a round by pseudonym, without owners and retracted examples. */
  ofRound(round: string): Promise<GivenValidation[]> {
    return this.em.execute<GivenValidation[]>(
      `select v.pseudonym, v.label, v.verdict, v.right_label as "rightLabel", v.seconds, a.is_check as "isCheck", a.fooled, a.outcome,
              a.label as "rightNow", a.author_label as "authorLabel"
       from validation v join annotation a on a.id = v.annotation_id
       where a.round_id = ? and not v.by_owner and a.retracted_at is null order by v.pseudonym, v.id`,
      [round],
    );
  }

  /** Returns the examples with several validators in the order of writing, for `roundAgreement`. */
  rated(round: string): Promise<RatedExample[]> {
    return this.em.execute<RatedExample[]>(
      `select json_agg(v.label order by v.id) as labels, json_agg(v.verdict order by v.id) as verdicts
       from annotation a join validation v on v.annotation_id = a.id
       where a.round_id = ? and not a.is_check and a.retracted_at is null and not v.by_owner
       group by a.id having count(*) > 1 order by a.id`,
      [round],
    );
  }

  /**
   * Returns the blind labels of each example that has at least three, in the order of writing, for
   * `humanFigures`. Examples of the same context form a cluster.
   */
  answered(round: string, which: 'all' | 'fooling'): Promise<AnsweredExample[]> {
    return this.em.execute<AnsweredExample[]>(
      `select json_agg(v.label order by v.created_at, v.id) as answers, coalesce(a.context_id, a.id)::text as cluster
       from annotation a join validation v on v.annotation_id = a.id
       where a.round_id = ? and not a.is_check and a.retracted_at is null
         and jsonb_typeof(v.label) = 'array' and not v.by_owner and v.verdict is distinct from 'flagged'
         ${which === 'fooling' ? 'and a.fooled' : ''}
       group by a.id having count(*) > 2 order by a.id`,
      [round],
    );
  }

  /** Counts the blind labels of submitted examples, and those that equal the author's. */
  totals(round: string): Promise<Record<'validators' | 'validations' | 'agreeing', number>> {
    return this.row<Record<'validators' | 'validations' | 'agreeing', number>>(
      `select count(distinct v.pseudonym)::int as validators, count(*)::int as validations,
         count(*) filter (where v.label = a.author_label)::int as agreeing
       from validation v join annotation a on a.id = v.annotation_id
       where a.round_id = ? and not a.is_check and a.retracted_at is null and v.label is not null`,
      [round],
    );
  }

  /** Returns the verdicts by ID of the annotation; none for annotations without validations. */
  async verdicts(annotations: readonly string[]): Promise<ReadonlyMap<string, Verdicts>> {
    if (annotations.length === 0) return new Map();
    const rows = await this.em.execute<(Verdicts & { annotation: string })[]>(
      `select annotation_id as annotation,
              json_build_object(
                'correct', count(*) filter (where verdict = 'correct' and not by_owner),
                'incorrect', count(*) filter (where verdict = 'incorrect' and not by_owner),
                'flagged', count(*) filter (where verdict = 'flagged' and not by_owner)) as verdicts,
              coalesce(json_agg(reason order by id) filter (where verdict is not null and reason is not null), '[]') as reasons
         from validation where annotation_id = any(?::uuid[]) group by annotation_id`,
      [uuidArray(annotations)],
    );
    return new Map(rows.map(({ annotation, ...verdicts }) => [annotation, verdicts]));
  }
}
