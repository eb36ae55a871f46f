import { Migration } from '@mikro-orm/migrations';

/**
 * Adds to evaluations how their metrics compared texts, and how many labels were not the most probable
 * one. Both are written when an evaluation is scored.
 */
export class Migration20261130170000RecordTextRules extends Migration {
  override name = 'Migration20261130170000RecordTextRules';

  override up(): void | Promise<void> {
    this.addSql(`alter table "evaluation" add "signatures" jsonb null, add "label_differs" int null;`);
  }
}
