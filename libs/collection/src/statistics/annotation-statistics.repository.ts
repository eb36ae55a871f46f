import { type NumbersBy } from '@assay/contracts/annotating';
import { ANNOTATION_OUTCOMES, type AnnotationOutcome } from '@assay/contracts/collection';
import { type DataCard } from '@assay/contracts/datasets';
import { Repository, uuidArray } from '@assay/persistence/queries';
import type { EntityManager } from '@mikro-orm/postgresql';

/** The selection of annotations to count, and their grouping. */
export interface FiguresAsked {
  /** IDs of rounds. */
  readonly rounds: readonly string[];
  readonly by?: NumbersBy | undefined;
  /** Counts only the annotations of this annotator. */
  readonly pseudonym?: string | undefined;
}

/** The counts of a group of annotations. For intervals it has the counts of each cluster. */
export interface FiguresRow extends Readonly<Record<FiguresCount, number>> {
  /** True for the row that covers all annotations. */
  readonly whole: boolean;
  /** The ID of the round or model, the pseudonym, the tag, the condition, or the UTC day. */
  readonly key: string | null;
  readonly mer: RateCounts;
  readonly vmer: RateCounts;
  /** The rate of errors among the validated examples. */
  readonly checked: RateCounts;
  readonly yield: RateCounts;
  readonly attested: Readonly<Record<AttestedCount, number>>;
  readonly seconds: readonly (number | null)[] | null;
  readonly distance: number | null;
}

type FiguresCount =
  | AnnotationOutcome
  | 'submitted'
  | 'retracted'
  | 'annotators'
  | 'alone'
  | 'unknown'
  | 'faced_pending'
  | 'explained'
  | 'timed'
  | 'edited';
type AttestedCount = AnnotationOutcome | 'examples' | 'validatedFooling';

/** The ways in which examples are clustered: by annotator, by context, and by both together. */
export type ClusteredBy = 'annotator' | 'context' | 'both';

/**
 * The clusters of a rate's examples, separately for each way of clustering: `times` clusters have the
 * same number of examples and of successes among them.
 */
export type RateCounts = readonly (readonly [by: ClusteredBy, examples: number, successes: number, times: number])[];

/**
 * Counts of the examples that were written against a target model. `mer_of`: all, `mer_part`: those
 * that fooled it, `checked_of`: the validated ones, `checked_part`: those that are validated and
 * fooled it, `pending`: those that are not validated yet.
 */
export type Rates = Readonly<Record<'mer_part' | 'mer_of' | 'checked_part' | 'checked_of' | 'pending', number>>;

type RoundCount =
  'submitted' | 'fooled' | 'attested' | 'by_owner' | 'removed' | 'annotators' | 'contexts' | 'retracted';

/** The counts of a round's submitted examples: gold checks and retracted ones excluded. */
export interface RoundTotals extends Rates, Readonly<Record<RoundCount, number>> {
  /** The number of examples of the most active annotator; null if there is none. */
  readonly largest: number | null;
}

export type ConditionFigures = Rates & Readonly<Record<'examples' | 'annotators', number> & { condition: string }>;

/**
 * `work_mem` for sorting a million durations and edit distances; with the server's default, the
 * sort spills to disk.
 */
const WORK_MEMORY = '128MB';

const KEYS: Readonly<Record<NumbersBy, string>> = {
  round: 'a.round_id::text',
  target: 'a.target_id::text',
  annotator: 'a.pseudonym',
  tag: 't.tag',
  condition: 'a.condition',
  day: `to_char(a.created_at at time zone 'UTC', 'YYYY-MM-DD')`,
};

/**
 * SQL for examples written here against a target model: those with a known `fooled`, which a
 * control arm does not have. Statistics of rounds count in the same way.
 */
const FACED = `source = 'written' and fooled is not null`;
const MER = `
  count(*) filter (where ${FACED} and fooled)::int as mer_part, count(*) filter (where ${FACED})::int as mer_of`;
const CHECKED = `
  count(*) filter (where ${FACED} and fooled and outcome = 'validated')::int as checked_part,
  count(*) filter (where ${FACED} and outcome = 'validated')::int as checked_of,
  count(*) filter (where ${FACED} and outcome = 'pending')::int as pending`;
const SUBMITTED = `annotation a where a.round_id = ? and not a.is_check and a.retracted_at is null`;

/**
 * The figures of annotations, counted in the database because there can be any number of them. Gold
 * checks are always excluded.
 */
export class AnnotationStatisticsRepository extends Repository {
  /** Returns a row for each group and one for all annotations; none without annotations. */
  async grouped(asked: FiguresAsked): Promise<readonly FiguresRow[]> {
    return this.em.fork().transactional(async (tx) => {
      await tx.execute(`set local work_mem = '${WORK_MEMORY}'`);
      if (asked.by !== 'tag') return read(tx, asked);
      // an annotation is in one group for each tag of its context, but only once in the total
      const [total, groups] = [await read(tx, { ...asked, by: undefined }), await read(tx, asked)];
      return [...total, ...groups.filter(({ whole }) => !whole)];
    });
  }

  /** Counts the submitted examples of a round. */
  totals(round: string): Promise<RoundTotals> {
    return this.row<RoundTotals>(
      `select count(*)::int as submitted, count(*) filter (where fooled)::int as fooled,
         count(*) filter (where source = 'attested')::int as attested,
         count(*) filter (where decided_by_owner)::int as by_owner,
         count(*) filter (where input = '{}')::int as removed,
         count(distinct pseudonym) filter (where source = 'written')::int as annotators,
         count(distinct context_id)::int as contexts, ${MER}, ${CHECKED},
         (select count(*)::int from annotation where round_id = ? and not is_check and retracted_at is not null) as retracted,
         (select max(n)::int from (select count(*) as n from ${SUBMITTED} and a.source = 'written' group by pseudonym) w) as largest
       from ${SUBMITTED}`,
      [round, round, round],
    );
  }

  /** Returns the number of submitted examples by outcome, in alphabetical order. */
  async outcomes(round: string): Promise<Record<string, number>> {
    const rows = await this.em.execute<{ outcome: string; n: number }[]>(
      `select outcome, count(*)::int as n from ${SUBMITTED} group by outcome order by outcome`,
      [round],
    );
    return Object.fromEntries(rows.map(({ outcome, n }) => [outcome, n]));
  }

  /** Returns the counts of the frozen splits: train, dev, test. */
  splits(round: string): Promise<DataCard['splits']> {
    return this.em.execute<DataCard['splits']>(
      `select split, count(*)::int as examples, count(*) filter (where fooled)::int as fooled,
         count(distinct context_id)::int as contexts
       from ${SUBMITTED} and split is not null group by split order by array_position(array['train','dev','test'], split::text)`,
      [round],
    );
  }

  /** Counts the submitted examples of each arm of a round, in any order. */
  conditions(round: string): Promise<ConditionFigures[]> {
    return this.em.execute<ConditionFigures[]>(
      `select condition, count(*)::int as examples, count(distinct pseudonym)::int as annotators, ${MER}, ${CHECKED}
       from ${SUBMITTED} and condition is not null group by condition`,
      [round],
    );
  }

  /** Returns the counts for the model error rate of each first target model, by its ID. */
  async targets(round: string): Promise<ReadonlyMap<string, Pick<Rates, 'mer_part' | 'mer_of'>>> {
    const rows = await this.em.execute<(Pick<Rates, 'mer_part' | 'mer_of'> & { target: string })[]>(
      `select target_id as target, ${MER} from ${SUBMITTED} and target_id is not null group by target_id`,
      [round],
    );
    return new Map(rows.map((row) => [row.target, row]));
  }

  /** Counts the linked authors of a round by the version that they last agreed to, in its order. */
  agreedVersions(task: string, round: string, of: 'consent' | 'licence'): Promise<DataCard['consent']['agreed']> {
    const column = `c.${of}_version`;
    return this.em.execute<DataCard['consent']['agreed']>(
      `select ${column} as version, count(*)::int as people from consent c
       where c.task_id = ? and ${column} is not null
         and c.user_id in (select annotator_id from annotator_count where round_id = ? and examples > 0)
       group by ${column} order by ${column}`,
      [task, round],
    );
  }
}

const read = (em: EntityManager, asked: FiguresAsked): Promise<FiguresRow[]> =>
  em.execute<FiguresRow[]>(statement(asked), [
    ...(asked.by === 'tag' ? [uuidArray(asked.rounds)] : []),
    uuidArray(asked.rounds),
    ...(asked.pseudonym === undefined ? [] : [asked.pseudonym]),
  ]);

function statement({ by, pseudonym }: FiguresAsked): string {
  const whole = by ? 'grouping(key) = 1' : 'true';
  const keys = by ? ['key, ', ''] : ['key, '];
  const groupedBy = (more: string) =>
    by ? `group by grouping sets ((key${more}), (${more.slice(2)}))` : `group by key${more}`;
  return `
with shown as materialized (
  select ${by ? KEYS[by] : 'null::text'} as key, a.pseudonym, a.source = 'written' as written, a.retracted_at is null as stands,
    a.outcome, a.fooled, a.target_id is null and a.answers = '[]' as alone, a.explanations <> '{}' as explained,
    a.seconds, a.edit_distance, coalesce(a.context_id, a.id) as context
  from annotation a ${by === 'tag' ? TAGS : ''}
  where a.round_id = any(?::uuid[]) and not a.is_check ${pseudonym === undefined ? '' : 'and a.pseudonym = ?'}
), person as (
  select ${whole} as whole, key, written,
    count(*) filter (where not stands) as retracted,
    count(*) filter (where stands) as submitted,
    ${ANNOTATION_OUTCOMES.map((outcome) => `count(*) filter (where stands and outcome = '${outcome}') as ${outcome}`).join(',\n    ')},
    count(*) filter (where stands and alone) as alone,
    count(*) filter (where stands and fooled is null and not alone) as unknown,
    count(*) filter (where stands and explained) as explained,
    count(*) filter (where stands and fooled and outcome = 'validated') as checked_k,
    count(*) filter (where stands and fooled is not null and outcome = 'pending') as faced_pending
  from shown ${groupedBy(', pseudonym, written')}
), cluster as (
  select ${whole} as whole, key,
    case when grouping(context) = 1 then 'annotator' when grouping(pseudonym) = 1 then 'context' else 'both' end as way,
    count(*) as mer_n,
    count(*) filter (where fooled) as mer_k,
    count(*) filter (where outcome = 'validated') as checked_n,
    count(*) filter (where fooled and outcome = 'validated') as checked_k,
    count(*) filter (where outcome <> 'pending') as yield_n
  from shown where written and stands and fooled is not null
  group by grouping sets (${keys.flatMap((key) => CLUSTERS.map((way) => `(${key}${way})`)).join(', ')})
), rates as (
  select whole, key, ${RATES.map(({ name }) => rateCounts(name)).join(', ')}
  from (
    select whole, key, rate, way, n, k, count(*)::int as times
    from cluster cross join lateral (values ${RATES.map(({ name, n, k }) => `('${name}', ${n}, ${k})`).join(', ')}) as of(rate, n, k)
    where n > 0 group by whole, key, rate, way, n, k
  ) alike group by whole, key
), counts as (
  select whole, key,
    ${['retracted', 'submitted', ...ANNOTATION_OUTCOMES, 'alone', 'unknown', 'faced_pending', 'explained'].map(written).join(',\n    ')},
    count(*) filter (where written and submitted > 0)::int as annotators,
    jsonb_build_object('examples', ${attested('submitted')},
      ${ANNOTATION_OUTCOMES.map((outcome) => `'${outcome}', ${attested(outcome)}`).join(', ')},
      'validatedFooling', ${attested('checked_k')}) as attested
  from person group by whole, key
), middle as (
  select ${whole} as whole, key, count(seconds)::int as timed, count(edit_distance)::int as edited,
    percentile_cont(array[0.25, 0.5, 0.75]) within group (order by seconds) as seconds,
    percentile_cont(0.5) within group (order by edit_distance) as distance
  from shown where written and stands ${groupedBy('')}
)
select counts.*, ${RATES.map(({ name }) => `coalesce(rates.${name}, '[]') as ${name}`).join(', ')}, coalesce(timed, 0) as timed, to_jsonb(seconds) as seconds, coalesce(edited, 0) as edited, distance
from counts
  left join rates on rates.whole = counts.whole and coalesce(rates.key, '') = coalesce(counts.key, '')
  left join middle on middle.whole = counts.whole and coalesce(middle.key, '') = coalesce(counts.key, '')
where counts.submitted + counts.retracted + (counts.attested ->> 'examples')::int > 0`;
}

const TAGS = `join (
    select distinct c.id, tag from round_context c, jsonb_array_elements_text(c.tags) as tag where c.round_id = any(?::uuid[])
  ) t on t.id = a.context_id`;

const written = (name: string): string => `coalesce(sum(${name}) filter (where written), 0)::int as ${name}`;
const attested = (name: string): string => `coalesce(sum(${name}) filter (where not written), 0)::int`;

/** The columns of each way of clustering. */
const CLUSTERS = ['pseudonym', 'context', 'pseudonym, context'];

/** SQL for the number of examples of each rate in a cluster, and of successes among them. */
const RATES = [
  { name: 'mer', n: 'mer_n', k: 'mer_k' },
  { name: 'vmer', n: 'mer_n', k: 'checked_k' },
  { name: 'checked', n: 'checked_n', k: 'checked_k' },
  { name: 'yield', n: 'yield_n', k: 'checked_k' },
] as const;

const rateCounts = (rate: string): string =>
  `jsonb_agg(jsonb_build_array(way, n, k, times)) filter (where rate = '${rate}') as ${rate}`;
