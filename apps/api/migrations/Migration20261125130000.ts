import { Migration } from '@mikro-orm/migrations';

export class Migration20261125130000 extends Migration {
  override name = 'Migration20261125130000';

  override up(): void | Promise<void> {
    this.addSql(`alter table "webhook" add "former_secret" text null, add "former_until" timestamptz null;`);
  }
}
