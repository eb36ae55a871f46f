import { Migration } from '@mikro-orm/migrations';

export class Migration20261122060002 extends Migration {
  override name = 'Migration20261122060002';

  override up(): void | Promise<void> {
    this.addSql(`alter table "user_account" add "deleted_at" timestamptz null;`);
    this.addSql(
      `create index "notification_unsent" on "notification" ("created_at") where "mail" and "mailed_at" is null;`,
    );
  }
}
