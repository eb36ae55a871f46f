import { Migration } from '@mikro-orm/migrations';

/** Existing tasks keep disclosing exact scores. */
export class Migration20261129231000StoreExactScores extends Migration {
  override name = 'Migration20261129231000StoreExactScores';

  override up(): void | Promise<void> {
    this.addSql(`alter table "board_revision" add "exact_models" jsonb null;`);
    this.addSql(`update "task" set "definition" = "definition" || '{"disclosure": "exact"}';`);
  }
}
