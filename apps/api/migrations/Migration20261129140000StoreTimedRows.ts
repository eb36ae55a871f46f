import { Migration } from '@mikro-orm/migrations';

export class Migration20261129140000StoreTimedRows extends Migration {
  override name = 'Migration20261129140000StoreTimedRows';

  override up(): void | Promise<void> {
    this.addSql(`alter table "evaluation" add "timed" jsonb null;`);
  }
}
