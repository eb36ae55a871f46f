import type { EntityManager } from '@mikro-orm/postgresql';
import type { Kysely } from 'kysely';
import { type NamedSchema, type TablesOf, typedQueries } from './typed-queries.js';

/** The SQL of one aggregate, whose entities have the types `Schemas`. */
export abstract class Repository<Schemas extends NamedSchema = never> {
  /** @param em its transaction is used, if it has one */
  constructor(protected readonly em: EntityManager) {}

  /** The query builder, as `typedQueries` returns it. */
  protected get db(): Kysely<TablesOf<Schemas>> {
    return typedQueries<Schemas>(this.em);
  }

  /** Runs a query, and returns whether it found a row. */
  protected async exists(query: { executeTakeFirst(): Promise<unknown> }): Promise<boolean> {
    return (await query.executeTakeFirst()) !== undefined;
  }

  /** Runs an update, and returns whether it changed a row. */
  protected async changes(update: {
    executeTakeFirst(): Promise<{ readonly numUpdatedRows: bigint }>;
  }): Promise<boolean> {
    return (await update.executeTakeFirst()).numUpdatedRows > 0;
  }
}
