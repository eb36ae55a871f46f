import { Migration } from '@mikro-orm/migrations';

/** What validators were handed and have not answered is found without reading all validations. */
export class Migration20261122050010 extends Migration {
  override name = 'Migration20261122050010';

  override up(): void | Promise<void> {
    this.addSql(`create index "validation_waiting" on "validation" ("created_at") where "answered_at" is null`);
  }
}
