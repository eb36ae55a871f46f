import { MikroORM } from '@mikro-orm/postgresql';
import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { DatabaseRepository } from '../database.repository.js';

/** Logs a warning at startup if the database role of this process could change the audit log. */
@Injectable()
export class AuditProtection implements OnApplicationBootstrap {
  private readonly logger = new Logger(AuditProtection.name);

  constructor(private readonly orm: MikroORM) {}

  async onApplicationBootstrap(): Promise<void> {
    try {
      const found = await new DatabaseRepository(this.orm.em.fork()).roleWithPowers();
      if (found.powers.length > 0) this.logger.warn(auditWarning(found));
    } catch (error) {
      // readiness reports a database that is missing or not migrated
      this.logger.warn(`cannot check how the audit log is protected: ${String(error)}`);
    }
  }
}

/** Returns the text of the warning for the operator. */
export const auditWarning = (found: { readonly role: string; readonly powers: readonly string[] }): string =>
  `the audit log is protected by triggers only, because the database role ${found.role} of DATABASE_URL ${found.powers.join(', ')}. ` +
  'Set DATABASE_OWNER_URL to a role that owns the database, and DATABASE_URL to another role (docs/guides/operate.md, "Use your own PostgreSQL")';
