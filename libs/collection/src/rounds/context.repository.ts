import type { Collection } from '@assay/contracts/collection';
import { newId, type Rng } from '@assay/kernel';
import { jsonValue, Repository, type TablesOf } from '@assay/persistence/queries';
import { type Kysely, sql } from 'kysely';
import type { Context, ContextMark, ContextSchema } from './context.js';

/** The stored fields of a line that gives a context. */
export type GivenContext = Pick<Context, 'externalId' | 'content' | 'tags' | 'metadata'>;

/** A request for a context: who it is for, and how it is chosen. */
export interface WantedContext {
  readonly round: string;
  readonly user: string;
  readonly order: Collection['contexts'];
  /** Restricts the choice to contexts with this tag. */
  readonly tag?: string | undefined;
  readonly examplesPerContext?: number | undefined;
  readonly now: Date;
}

/** The maximum number of examples of a person for a context. Allows several attempts at fooling. */
const MOST_OWN_EXAMPLES = 5;
/** The number of contexts that are copied together. */
const BATCH = 1_000;

type ContextTables = TablesOf<typeof ContextSchema>;

/** The contexts of the database, with their counters. */
export class ContextRepository extends Repository<typeof ContextSchema> {
  /** Adds contexts to a round, except those whose external ID it has, and returns the added ones. */
  async add<C extends GivenContext>(round: string, contexts: readonly C[]): Promise<readonly C[]> {
    const rows = contexts.map((context) => ({ ...context, id: newId() }));
    const inserted = await this.em.execute<{ id: string }[]>(
      `insert into round_context (id, round_id, external_id, content, tags, metadata, created_at)
       select line.id, ?, line."externalId", line.content, line.tags, line.metadata, now()
         from jsonb_to_recordset(?::jsonb)
           as line(id uuid, "externalId" text, content jsonb, tags jsonb, metadata jsonb)
       on conflict (round_id, external_id) do nothing returning id`,
      [round, JSON.stringify(rows)],
    );
    const isNew = new Set(inserted.map(({ id }) => id));
    return contexts.filter((_, index) => isNew.has(rows[index]!.id));
  }

  /** Returns the contexts of a round with these external IDs, in any order. */
  given(round: string, externalIds: readonly string[]): Promise<GivenContext[]> {
    return this.em.execute<GivenContext[]>(
      `select external_id as "externalId", content, tags, metadata from round_context
        where round_id = ? and external_id in (select jsonb_array_elements_text(?::jsonb))`,
      [round, JSON.stringify(externalIds)],
    );
  }

  /** Copies the active contexts of a round to another one, those with the fewest examples first. */
  async copyActive(from: string, to: string): Promise<void> {
    const rows = await this.em.execute<{ id: string }[]>(
      'select id from round_context where round_id = ? and active order by annotations, id',
      [from],
    );
    for (let start = 0; start < rows.length; start += BATCH) {
      const pairs = rows.slice(start, start + BATCH).map(({ id }) => ({ old: id, new: newId() }));
      await this.em.execute(
        `insert into round_context (id, round_id, external_id, content, tags, metadata, created_at)
         select pair.new, ?, external_id, content, tags, metadata, now()
           from jsonb_to_recordset(?::jsonb) as pair(old uuid, new uuid) join round_context on round_context.id = pair.old`,
        [to, JSON.stringify(pairs)],
      );
    }
  }

  /**
   * Returns the ID of a context to write for, or null. Eligible contexts are active, not full, not
   * reserved by another person, not skipped or flagged by this person, and not used up by this
   * person (`MOST_OWN_EXAMPLES`). Among equally suitable contexts, returns the next one from a
   * random position of their `draw` values, wrapping around. With an index on `draw` this needs to
   * read few rows, however many contexts there are.
   */
  async pick(wanted: WantedContext, rng: Rng): Promise<string | null> {
    const eligible = eligibleContexts(this.db, wanted);
    const from = rng.next();
    if (wanted.tag !== undefined) {
      const tagged = eligible.orderBy('c.annotations').orderBy((context) => context('c.draw', '<', from));
      return (await tagged.orderBy('c.draw').limit(1).executeTakeFirst())?.id ?? null;
    }
    if (wanted.order === 'uniform') return nextFrom(eligible, from);
    const counter = wanted.order === 'least-fooled' ? 'c.fooled' : 'c.annotations';
    for (let level = -1; ;) {
      const next = await this.db
        .selectFrom('round_context as c')
        .select((context) => context.ref(counter).as('level'))
        .where('c.round', '=', wanted.round)
        .where(counter, '>', level)
        .orderBy(counter)
        .limit(1)
        .executeTakeFirst();
      if (!next) return null;
      level = next.level;
      const id = await nextFrom(eligible.where(counter, '=', level), from);
      if (id !== null) return id;
    }
  }

  /** Returns the tags of the active contexts of a round, in alphabetical order. */
  async tags(round: string): Promise<readonly string[]> {
    const rows = await this.em.execute<{ tag: string }[]>(
      `select distinct tag from round_context c, jsonb_array_elements_text(c.tags) as tag where c.round_id = ? and c.active order by tag`,
      [round],
    );
    return rows.map(({ tag }) => tag);
  }

  /** Counts one more example of a context. Returns false if it has `most`; undefined: no limit. */
  addExample(id: string, most: number | undefined): Promise<boolean> {
    return this.changes(
      this.db
        .updateTable('round_context')
        .set((context) => ({ annotations: context('annotations', '+', 1) }))
        .where('id', '=', id)
        .$if(most !== undefined, (contexts) => contexts.where('annotations', '<', sql.lit(most!))),
    );
  }

  /** Adds to the counters of a context: examples, and those that fooled. Null: no context. */
  async count(id: string | null, { annotations = 0, fooled = 0 }: Partial<Context>): Promise<void> {
    const update = 'update round_context set annotations = annotations + ?, fooled = fooled + ? where id = ?';
    await this.em.execute(update, [annotations, fooled, id]);
  }

  /** Counts imported examples with their contexts. */
  async addImported(annotations: readonly string[]): Promise<void> {
    await this.em.execute(
      `update round_context set annotations = annotations + counted.written, fooled = round_context.fooled + counted.fooled
         from (select context_id, count(*)::int as written, (count(*) filter (where fooled))::int as fooled from annotation
                where id in (select jsonb_array_elements_text(?::jsonb)::uuid) group by context_id) as counted
        where round_context.id = counted.context_id`,
      [JSON.stringify(annotations)],
    );
  }

  /** Stores and counts a person's mark on a context. Idempotent. */
  async mark(id: string, user: string, kind: ContextMark['kind'], reason: string | null): Promise<void> {
    const added = await this.em.execute<unknown[]>(
      `insert into context_mark (id, context_id, user_id, kind, reason, created_at) values (?, ?, ?, ?, ?, now())
       on conflict do nothing returning id`,
      [newId(), id, user, kind, reason],
    );
    if (added.length === 0) return;
    await this.em.execute(`update round_context set ${kind}s = ${kind}s + 1 where id = ?`, [id]);
  }
}

function eligibleContexts(db: Kysely<ContextTables>, wanted: WantedContext) {
  const { round, user, tag, examplesPerContext, now } = wanted;
  return db
    .selectFrom('round_context as c')
    .select('c.id')
    .where('c.round', '=', round)
    .where('c.active', '=', true)
    .where(
      sql<boolean>`not exists (select 1 from assignment o where o.context_id = c.id and o.state = 'open'
        and o.contrast_to_id is null and o.user_id <> ${user} and o.expires_at > ${now})`,
    )
    .where(sql<boolean>`not exists (select 1 from context_mark m where m.context_id = c.id and m.user_id = ${user})`)
    .where(
      sql<boolean>`(select count(*) from assignment s where s.context_id = c.id and s.user_id = ${user}
        and s.state = 'sent') < ${MOST_OWN_EXAMPLES}`,
    )
    .$if(tag !== undefined, (contexts) => contexts.where('c.tags', '@>', jsonValue([tag!])))
    .$if(examplesPerContext !== undefined, (contexts) =>
      contexts.where('c.annotations', '<', sql.lit(examplesPerContext!)),
    );
}

/** Returns the ID of the context with the next `draw` from `from` on, wrapping around. */
async function nextFrom(contexts: ReturnType<typeof eligibleContexts>, from: number): Promise<string | null> {
  for (const side of ['>=', '<'] as const) {
    const row = await contexts.where('c.draw', side, from).orderBy('c.draw').limit(1).executeTakeFirst();
    if (row) return row.id;
  }
  return null;
}
