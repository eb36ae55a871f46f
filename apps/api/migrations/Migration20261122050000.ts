import { Migration } from '@mikro-orm/migrations';

/** How well people do on a dataset version. */
export class Migration20261122050000 extends Migration {
  override name = 'Migration20261122050000';

  override up(): void | Promise<void> {
    this.addSql(`alter table "dataset_version" add "human" jsonb null;`);
  }
}
