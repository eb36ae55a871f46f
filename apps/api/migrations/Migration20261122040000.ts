import { Migration } from '@mikro-orm/migrations';

export class Migration20261122040000 extends Migration {
  override name = 'Migration20261122040000';

  override up(): void | Promise<void> {
    this.addSql(`alter table "validation" add "model_wrong" boolean null;`);
  }
}
