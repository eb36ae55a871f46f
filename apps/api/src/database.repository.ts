import { powersOver } from '@assay/persistence';
import { Repository } from '@assay/persistence/queries';
import { migrations } from '../migrations/index.js';
import { AUDIT_TABLE } from './migrate-database.js';

/** The database itself: its migrations, its size, and the role of this process. */
export class DatabaseRepository extends Repository {
  /** Returns whether all migrations of this version were applied. */
  async isMigrated(): Promise<boolean> {
    const [row] = await this.em.execute<{ count: number }[]>(
      'select count(*)::int as count from mikro_orm_migrations where name = any(?::text[])',
      [`{${migrations.map(({ name }) => name).join(',')}}`],
    );
    return row?.count === migrations.length;
  }

  /** Returns the role of this process, and the ways in which it could change the audit log. */
  async roleWithPowers(): Promise<{ readonly role: string; readonly powers: readonly string[] }> {
    const [me] = await this.em.execute<{ role: string }[]>('select current_user as role');
    const powers = await powersOver((sql) => this.em.execute<{ powers: string[] }[]>(sql), AUDIT_TABLE);
    return { role: me?.role ?? '', powers };
  }

  /** Returns the size of the database in bytes. */
  async bytes(): Promise<number> {
    const [database] = await this.em.execute<{ bytes: number }[]>(
      'select pg_database_size(current_database())::float8 as bytes',
    );
    return database!.bytes;
  }
}
