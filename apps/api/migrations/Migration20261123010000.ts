import { Migration } from '@mikro-orm/migrations';

export class Migration20261123010000 extends Migration {
  override name = 'Migration20261123010000';

  override up(): void | Promise<void> {
    this.addSql(`alter table "credential" add "address" varchar(45) null;`);
  }
}
