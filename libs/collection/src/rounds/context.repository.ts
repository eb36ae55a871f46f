import type { Collection } from '@assay/contracts';
import { newId, type Rng } from '@assay/kernel';
import { databaseTime, jsonValue, type TablesOf, typedQueries } from '@assay/persistence';
import type { EntityManager } from '@mikro-orm/postgresql';
import { type Kysely, sql } from 'kysely';
import type { AssignmentSchema } from '../annotating/assignment.js';
import type { ContextMarkSchema } from '../annotating/context-mark.js';
import type { Context, ContextSchema } from './context.js';

/** The stored fields of a line that gives a context. */
export type GivenContext = Pick<Context, 'externalId' | 'content' | 'tags' | 'metadata'>;

/** A person's mark on a context: they skipped it, or flagged a problem. */
export interface NewMark {
  readonly context: string;
  readonly user: string;
  readonly kind: 'skip' | 'flag';
  readonly reason: string | null;
}

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

/**
 * The maximum number of examples that one person writes for one context. Allows several attempts at
 * fooling the model.
 */
const MOST_OWN_EXAMPLES = 5;
/** The number of contexts that are copied together. */
const BATCH = 1_000;

type ContextTables = TablesOf<typeof ContextSchema | typeof AssignmentSchema | typeof ContextMarkSchema>;

/** The contexts of the database, with their counters. */
export class ContextRepository {
  private readonly db: Kysely<ContextTables>;

  /** @param em its transaction is used, if it has one */
  constructor(private readonly em: EntityManager) {
    this.db = typedQueries<typeof ContextSchema | typeof AssignmentSchema | typeof ContextMarkSchema>(em);
  }

  /**
   * Adds contexts to a round, except those whose external ID the round has already.
   * @returns the added ones
   */
  async add<C extends GivenContext>(round: string, contexts: readonly C[]): Promise<readonly C[]> {
    const rows = contexts.map(({ externalId, content, tags, metadata }) => ({
      id: newId(),
      external_id: externalId,
      content,
      tags,
      metadata,
    }));
    const inserted = await this.em.execute<{ id: string }[]>(
      `insert into round_context (id, round_id, external_id, content, tags, metadata, created_at)
       select line.id, ?, line.external_id, line.content, line.tags, line.metadata, now()
         from jsonb_to_recordset(?::jsonb)
           as line(id uuid, external_id text, content jsonb, tags jsonb, metadata jsonb)
       on conflict (round_id, external_id) do nothing returning id`,
      [round, JSON.stringify(rows)],
    );
    const isNew = new Set(inserted.map(({ id }) => id));
    return contexts.filter((_, index) => isNew.has(rows[index]!.id));
  }

  /** Returns the contexts of a round with these external IDs, in any order. */
  given(round: string, externalIds: readonly string[]): Promise<GivenContext[]> {
    return this.db
      .selectFrom('round_context')
      .select(['externalId', 'content', 'tags', 'metadata'])
      .where('round', '=', round)
      .where('externalId', 'in', externalIds)
      .execute();
  }

  /** Copies the active contexts of a round to another one, those with the fewest examples first. */
  async copyActive(from: string, to: string): Promise<void> {
    const rows = await this.db
      .selectFrom('round_context')
      .select('id')
      .where('round', '=', from)
      .where('active', '=', true)
      .orderBy('annotations')
      .orderBy('id')
      .execute();
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
   * person (`MOST_OWN_EXAMPLES`).
   *
   * Among equally suitable contexts, returns the next one from a random position of their `draw`
   * values, wrapping around. With an index on `draw` this needs to read few rows, however many
   * contexts there are.
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

  /**
   * Counts one more example of a context.
   * @param most the number of examples that a context may have; undefined: no limit
   * @returns false if it has as many
   */
  async addExample(id: string, most: number | undefined): Promise<boolean> {
    const { numUpdatedRows } = await this.db
      .updateTable('round_context')
      .set((context) => ({ annotations: context('annotations', '+', 1) }))
      .where('id', '=', id)
      .$if(most !== undefined, (contexts) => contexts.where('annotations', '<', sql.lit(most!)))
      .executeTakeFirst();
    return numUpdatedRows > 0;
  }

  /**
   * Counts one example of a context less.
   * @param id null: of an example without a context
   * @param fooled the number of examples less that fooled the target models: 0 or 1
   */
  async removeExample(id: string | null, fooled: number): Promise<void> {
    if (id === null) return;
    await this.db
      .updateTable('round_context')
      .set((context) => ({
        annotations: context('annotations', '-', 1),
        fooled: context('fooled', '-', fooled),
      }))
      .where('id', '=', id)
      .execute();
  }

  /**
   * Adds `by` to the number of examples of a context that fooled the target models.
   * @param id null: of an example without a context
   */
  async addFooled(id: string | null, by: number): Promise<void> {
    if (id === null || by === 0) return;
    await this.db
      .updateTable('round_context')
      .set((context) => ({ fooled: context('fooled', '+', by) }))
      .where('id', '=', id)
      .execute();
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
  async mark(mark: NewMark): Promise<void> {
    const added = await this.db
      .insertInto('context_mark')
      .values({ id: newId(), ...mark, createdAt: databaseTime() })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst();
    if (!added) return;
    await this.db
      .updateTable('round_context')
      .set((context) =>
        mark.kind === 'skip' ? { skips: context('skips', '+', 1) } : { flags: context('flags', '+', 1) },
      )
      .where('id', '=', mark.context)
      .execute();
  }
}

function eligibleContexts(
  db: Kysely<ContextTables>,
  { round, user, tag, examplesPerContext, now }: WantedContext,
) {
  return db
    .selectFrom('round_context as c')
    .select('c.id')
    .where('c.round', '=', round)
    .where('c.active', '=', true)
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('assignment as o')
            .select('o.id')
            .whereRef('o.context', '=', 'c.id')
            .where('o.state', '=', 'open')
            .where('o.contrastTo', 'is', null)
            .where('o.user', '<>', user)
            .where('o.expiresAt', '>', now),
        ),
      ),
    )
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('context_mark as m')
            .select('m.id')
            .whereRef('m.context', '=', 'c.id')
            .where('m.user', '=', user),
        ),
      ),
    )
    .where(
      ({ selectFrom }) =>
        selectFrom('assignment as s')
          .select(({ fn }) => fn.countAll<number>().as('sent'))
          .whereRef('s.context', '=', 'c.id')
          .where('s.user', '=', user)
          .where('s.state', '=', 'sent'),
      '<',
      MOST_OWN_EXAMPLES,
    )
    .$if(tag !== undefined, (contexts) => contexts.where('c.tags', '@>', jsonValue([tag!])))
    .$if(examplesPerContext !== undefined, (contexts) =>
      contexts.where('c.annotations', '<', sql.lit(examplesPerContext!)),
    );
}

/** Returns the ID of the first context whose `draw` is at least `from`, or else of the first one. */
async function nextFrom(
  contexts: ReturnType<typeof eligibleContexts>,
  from: number,
): Promise<string | null> {
  for (const side of ['>=', '<'] as const) {
    const row = await contexts.where('c.draw', side, from).orderBy('c.draw').limit(1).executeTakeFirst();
    if (row) return row.id;
  }
  return null;
}
