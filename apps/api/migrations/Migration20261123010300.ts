import { Migration } from '@mikro-orm/migrations';

export class Migration20261123010300 extends Migration {
  override name = 'Migration20261123010300';

  override up(): void | Promise<void> {
    this.addSql(`create index "model_owner_id_index" on "model" ("owner_id");`);
    this.addSql(`create index "credential_user_id_index" on "credential" ("user_id");`);
  }
}
