import type { NumbersBy } from '@assay/contracts';
import type { EntityManager } from '@mikro-orm/postgresql';

/** The selection of annotations to count, and their grouping. */
export interface FiguresAsked {
  /** IDs of rounds. */
  readonly rounds: readonly string[];
  readonly by?: NumbersBy | undefined;
  /** Counts only the annotations of this annotator. */
  readonly pseudonym?: string | undefined;
}

/**
 * The counts of a group of annotations. For intervals it has sums over annotators, in the form of
 * `ProportionSums` in `@assay/scoring`.
 */
export interface FiguresRow {
  /** True for the row that covers all annotations. */
  readonly whole: boolean;
  /** The ID of the round or model, the pseudonym, the tag, the condition, or the UTC day. */
  readonly key: string | null;
  readonly submitted: number;
  readonly retracted: number;
  readonly annotators: number;
  readonly pending: number;
  readonly validated: number;
  readonly rejected: number;
  readonly flagged: number;
  readonly undecided: number;
  readonly alone: number;
  readonly unknown: number;
  readonly explained: number;
  readonly mer: RateSums;
  readonly vmer: RateSums;
  readonly yield: RateSums;
  readonly attested: Readonly<Record<AttestedCount, number>>;
  readonly timed: number;
  readonly seconds: readonly (number | null)[] | null;
  readonly edited: number;
  readonly distance: number | null;
}

type AttestedCount = 'examples' | 'pending' | 'validated' | 'rejected' | 'flagged' | 'undecided' | 'validatedFooling';

/**
 * The number of annotators c, and Σn, Σk, Σn², Σk², Σnk over them, with n examples and k successes
 * each.
 */
export type RateSums = readonly [number, number, number, number, number, number];

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

const OUTCOMES = ['pending', 'validated', 'rejected', 'flagged', 'undecided'] as const;

/**
 * Returns a row for each group and one for all annotations; no rows if there are no annotations.
 */
export async function groupedFigures(em: EntityManager, asked: FiguresAsked): Promise<readonly FiguresRow[]> {
  return em.fork().transactional(async (tx) => {
    await tx.execute(`set local work_mem = '${WORK_MEMORY}'`);
    if (asked.by !== 'tag') return read(tx, asked);
    // an annotation is in one group for each tag of its context, but only once in the total
    const [total, groups] = [await read(tx, { ...asked, by: undefined }), await read(tx, asked)];
    return [...total, ...groups.filter(({ whole }) => !whole)];
  });
}

const read = (em: EntityManager, asked: FiguresAsked): Promise<FiguresRow[]> =>
  em.execute<FiguresRow[]>(statement(asked), [
    ...(asked.by === 'tag' ? [idArray(asked.rounds)] : []),
    idArray(asked.rounds),
    ...(asked.pseudonym === undefined ? [] : [asked.pseudonym]),
  ]);

/** Returns a PostgreSQL array literal. */
const idArray = (ids: readonly string[]): string => `{${ids.join(',')}}`;

function statement({ by, pseudonym }: FiguresAsked): string {
  const whole = by ? 'grouping(key) = 1' : 'true';
  const groupedBy = (more: string) =>
    by ? `group by grouping sets ((key${more}), (${more.slice(2)}))` : `group by key${more}`;
  return `
with shown as materialized (
  select ${by ? KEYS[by] : 'null::text'} as key, a.pseudonym, a.source = 'written' as written, a.retracted_at is null as stands,
    a.outcome, a.fooled, a.target_id is null and a.answers = '[]' as alone, a.explanations <> '{}' as explained,
    a.seconds, a.edit_distance
  from annotation a ${by === 'tag' ? TAGS : ''}
  where a.round_id = any(?::uuid[]) and not a.is_check ${pseudonym === undefined ? '' : 'and a.pseudonym = ?'}
), person as (
  select ${whole} as whole, key, written,
    count(*) filter (where not stands) as retracted,
    count(*) filter (where stands) as submitted,
    ${OUTCOMES.map((outcome) => `count(*) filter (where stands and outcome = '${outcome}') as ${outcome}`).join(',\n    ')},
    count(*) filter (where stands and alone) as alone,
    count(*) filter (where stands and fooled is null and not alone) as unknown,
    count(*) filter (where stands and explained) as explained,
    count(*) filter (where stands and fooled is not null) as mer_n,
    count(*) filter (where stands and fooled) as mer_k,
    count(*) filter (where stands and fooled is not null and outcome = 'validated') as vmer_n,
    count(*) filter (where stands and fooled and outcome = 'validated') as vmer_k,
    count(*) filter (where stands and fooled is not null and outcome <> 'pending') as yield_n
  from shown ${groupedBy(', pseudonym, written')}
), counts as (
  select whole, key,
    ${['retracted', 'submitted', ...OUTCOMES, 'alone', 'unknown', 'explained'].map(written).join(',\n    ')},
    count(*) filter (where written and submitted > 0)::int as annotators,
    ${rateSums('mer_n', 'mer_k')} as mer, ${rateSums('vmer_n', 'vmer_k')} as vmer, ${rateSums('yield_n', 'vmer_k')} as yield,
    jsonb_build_object('examples', ${attested('submitted')},
      ${OUTCOMES.map((outcome) => `'${outcome}', ${attested(outcome)}`).join(', ')},
      'validatedFooling', ${attested('vmer_k')}) as attested
  from person group by whole, key
), middle as (
  select ${whole} as whole, key, count(seconds)::int as timed, count(edit_distance)::int as edited,
    percentile_cont(array[0.25, 0.5, 0.75]) within group (order by seconds) as seconds,
    percentile_cont(0.5) within group (order by edit_distance) as distance
  from shown where written and stands ${groupedBy('')}
)
select counts.*, coalesce(timed, 0) as timed, to_jsonb(seconds) as seconds, coalesce(edited, 0) as edited, distance
from counts left join middle on middle.whole = counts.whole and coalesce(middle.key, '') = coalesce(counts.key, '')
where counts.submitted + counts.retracted + (counts.attested ->> 'examples')::int > 0`;
}

const TAGS = `join (
    select distinct c.id, tag from round_context c, jsonb_array_elements_text(c.tags) as tag where c.round_id = any(?::uuid[])
  ) t on t.id = a.context_id`;

const written = (name: string): string => `coalesce(sum(${name}) filter (where written), 0)::int as ${name}`;
const attested = (name: string): string => `coalesce(sum(${name}) filter (where not written), 0)::int`;

/**
 * Returns the SQL for the `RateSums` of written examples.
 * @param n SQL for the number of examples of an annotator
 * @param k SQL for the number of successes among them
 */
export function rateSums(n: string, k: string): string {
  const sums = [n, k, `${n} * ${n}`, `${k} * ${k}`, `${n} * ${k}`].map(
    (term) => `coalesce(sum(${term}) filter (where written), 0)::float8`,
  );
  return `jsonb_build_array(count(*) filter (where written and ${n} > 0), ${sums.join(', ')})`;
}
