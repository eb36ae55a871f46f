import { Migration } from '@mikro-orm/migrations';

export class Migration20261130021000VerifyAccounts extends Migration {
  override name = 'Migration20261130021000VerifyAccounts';

  override up(): void | Promise<void> {
    this.addSql(`alter table "user_account" add "verified_at" timestamptz null;`);
  }
}
