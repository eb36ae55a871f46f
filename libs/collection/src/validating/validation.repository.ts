import type { MyExamples } from '@assay/contracts/people';
import type { PartOfList } from '@assay/kernel';
import { Repository, uuidArray } from '@assay/persistence/queries';
import type { AnsweredExample } from '@assay/scoring';
import type { Answered, Decided } from './agreement.js';
import { ValidatorCount } from './validator-count.js';

/** A validation whose agreement with the decision is not stored yet. */
export interface UncomparedValidation extends Answered, Omit<Decided, 'label'> {
  readonly id: string;
  /** The label that counts now. */
  readonly rightNow: readonly string[];
}

/** The counters of a validator, and the version of their row. */
export type ValidatorRow = Readonly<
  Record<
    'handedOut' | 'answered' | 'decided' | 'agreeing' | 'checks' | 'rightChecks' | 'examples' | 'nonFooling',
    number
  > &
    Record<'pseudonym' | 'version', string>
>;

/** The answers of the validators of one example, in the same order. */
export interface RatedExample {
  readonly labels: readonly (readonly string[] | null)[];
  readonly verdicts: readonly (string | null)[];
}

/** The number of verdicts on an annotation, except those of owners, and all reasons in order. */
export type Verdicts = Pick<MyExamples['items'][number], 'verdicts' | 'reasons'>;

/** The validations of the database. */
export class ValidationRepository extends Repository {
  /**
   * Returns the counters of the validators of a round, at most `most`, those with the most verdicts
   * first.
   * @param after the pseudonym of the last validator of the page before
   */
  validators(round: string, { most, after }: PartOfList): Promise<ValidatorRow[]> {
    return this.em.execute<ValidatorRow[]>(
      `select pseudonym, handed_out as "handedOut", answered, decided, agreeing, checks, right_checks as "rightChecks", examples,
              non_fooling as "nonFooling", xmin::text as version
       from validator_count c
       where round_id = :round and handed_out > 0 and (cast(:after as text) is null or (-answered, pseudonym) >
         (select -answered, pseudonym from validator_count where round_id = :round and pseudonym = :after))
       order by -answered, pseudonym limit :most`,
      { round, most, after },
    );
  }

  /** Returns whether a validator was assigned an example of a round. */
  async hasValidator(round: string, pseudonym: string): Promise<boolean> {
    return (await this.em.count(ValidatorCount, { round, pseudonym })) > 0;
  }

  /** Returns the median time of each validator from an assignment to its verdict, in seconds. */
  async medianSeconds(round: string, pseudonyms: readonly string[]): Promise<ReadonlyMap<string, number | null>> {
    const rows = await this.em.execute<{ pseudonym: string; seconds: number | null }[]>(
      `select v.pseudonym, percentile_cont(0.5) within group (order by v.seconds) as seconds
       from validation v join annotation a on a.id = v.annotation_id
       where v.pseudonym = any(?::text[]) and a.round_id = ? and v.verdict is not null and not v.by_owner and a.retracted_at is null
       group by v.pseudonym`,
      [uuidArray(pseudonyms), round],
    );
    return new Map(rows.map(({ pseudonym, seconds }) => [pseudonym, seconds]));
  }

  /** Returns whether the agreement of a validation of the round is not stored yet. */
  async hasUncompared(round: string): Promise<boolean> {
    return (await this.em.count(ValidatorCount, { round, uncompared: { $gt: 0 } })) > 0;
  }

  /** Returns validations of a round whose agreement is not stored yet, at most `most`. */
  uncompared(round: string, most: number): Promise<UncomparedValidation[]> {
    return this.em.execute<UncomparedValidation[]>(
      `select v.id, v.label, v.verdict, v.right_label as "rightLabel", a.is_check as "isCheck", a.outcome, a.label as "rightNow",
              a.author_label as "authorLabel"
       from validation v join annotation a on a.id = v.annotation_id
       where a.round_id = ? and v.agrees is null and not v.by_owner and a.retracted_at is null
         and case when a.is_check then jsonb_typeof(v.label) = 'array' or v.verdict is not null
                  else v.verdict is not null and a.outcome not in ('pending', 'undecided') end
       order by a.id, v.id limit ?`,
      [round, most],
    );
  }

  /** Stores the agreement of validations, unless it was stored in the meantime. */
  async setAgreement(agreement: readonly { readonly id: string; readonly agrees: boolean | null }[]): Promise<void> {
    await this.em.execute(
      `update validation set agrees = given.agrees from jsonb_to_recordset(?::jsonb) as given(id uuid, agrees boolean)
       where validation.id = given.id and validation.agrees is null`,
      [JSON.stringify(agreement)],
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
   * `humanFigures`. Examples are clustered by annotator and by context.
   */
  answered(round: string, which: 'all' | 'fooling'): Promise<AnsweredExample[]> {
    return this.em.execute<AnsweredExample[]>(
      `select json_agg(v.label order by v.created_at, v.id) as answers, a.pseudonym as cluster,
         coalesce(a.context_id, a.id)::text as "secondCluster"
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
