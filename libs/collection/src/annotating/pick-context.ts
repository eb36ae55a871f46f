import type { Collection } from '@assay/contracts';
import type { Rng } from '@assay/kernel';
import type { Round } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';

/**
 * The maximum number of examples that one person writes for one context. Allows several attempts at
 * fooling the model.
 */
const MOST_OWN_EXAMPLES = 5;

/** A request for a context: who it is for, and how it is chosen. */
export interface Wanted {
  readonly round: Pick<Round, 'id'>;
  readonly userId: string;
  readonly order: Collection['contexts'];
  /** Restricts the choice to contexts with this tag. */
  readonly tag?: string | undefined;
  readonly examplesPerContext?: number | undefined;
  readonly now: Date;
}

interface Eligible {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/**
 * Returns the ID of a context to write for, or null. Eligible contexts are active, not full, not
 * reserved by another person, not skipped or flagged by this person, and not used up by this person
 * (`MOST_OWN_EXAMPLES`).
 *
 * Among equally suitable contexts, returns the next one from a random position of their `draw`
 * values, wrapping around. With an index on `draw` this needs to read few rows, however many
 * contexts there are.
 */
export async function pickContext(em: EntityManager, wanted: Wanted, rng: Rng): Promise<string | null> {
  const eligible = eligibleContexts(wanted);
  const from = rng.next();
  if (wanted.tag !== undefined) return pickTagged(em, eligible, from);
  if (wanted.order === 'uniform') return pickAt(em, eligible, from);
  const column = wanted.order === 'least-fooled' ? 'fooled' : 'annotations';
  for (let level = -1; ;) {
    const [next] = await em.execute<{ level: number }[]>(
      `select c.${column} as level from round_context c where c.round_id = ? and c.${column} > ? order by c.${column} limit 1`,
      [wanted.round.id, level],
    );
    if (!next) return null;
    level = next.level;
    const id = await pickAt(em, eligible, from, { sql: `c.${column} = ?`, parameters: [level] });
    if (id !== null) return id;
  }
}

/** Returns the tags of the active contexts of a round, in alphabetical order. */
export async function tagsOf(em: EntityManager, round: Pick<Round, 'id'>): Promise<readonly string[]> {
  const rows = await em.execute<{ tag: string }[]>(
    `select distinct tag from round_context c, jsonb_array_elements_text(c.tags) as tag where c.round_id = ? and c.active order by tag`,
    [round.id],
  );
  return rows.map(({ tag }) => tag);
}

async function pickAt(em: EntityManager, eligible: Eligible, from: number, at?: Eligible): Promise<string | null> {
  const condition = at ? `${eligible.sql} and ${at.sql}` : eligible.sql;
  const parameters = [...eligible.parameters, ...(at?.parameters ?? [])];
  for (const [half, order] of [
    ['c.draw >= ?', 'c.draw'],
    ['c.draw < ?', 'c.draw'],
  ]) {
    const [row] = await em.execute<{ id: string }[]>(
      `select c.id from round_context c where ${condition} and ${half} order by ${order} limit 1`,
      [...parameters, from],
    );
    if (row) return row.id;
  }
  return null;
}

async function pickTagged(em: EntityManager, { sql, parameters }: Eligible, from: number): Promise<string | null> {
  const [row] = await em.execute<{ id: string }[]>(
    `select c.id from round_context c where ${sql} order by c.annotations, (c.draw < ?), c.draw limit 1`,
    [...parameters, from],
  );
  return row?.id ?? null;
}

function eligibleContexts({ round, userId, tag, examplesPerContext, now }: Wanted): Eligible {
  const conditions: readonly (readonly [sql: string, ...parameters: unknown[]])[] = [
    ['c.round_id = ?', round.id],
    ['c.active'],
    [
      `not exists (select 1 from assignment o where o.context_id = c.id and o.state = 'open' and o.contrast_to_id is null
         and o.user_id <> ?::uuid and o.expires_at > ?)`,
      userId,
      now,
    ],
    ['not exists (select 1 from context_mark m where m.context_id = c.id and m.user_id = ?)', userId],
    [
      `(select count(*) from assignment s where s.context_id = c.id and s.user_id = ? and s.state = 'sent') < ${MOST_OWN_EXAMPLES}`,
      userId,
    ],
    ...(tag === undefined ? [] : [['c.tags @> ?::jsonb', JSON.stringify([tag])] as const]),
    ...(examplesPerContext === undefined ? [] : [['c.annotations < ?', examplesPerContext] as const]),
  ];
  return {
    sql: conditions.map(([sql]) => sql).join(' and '),
    parameters: conditions.flatMap(([, ...parameters]) => parameters),
  };
}
