import { Migration } from '@mikro-orm/migrations';

export class Migration20261129230000InvitePeople extends Migration {
  override name = 'Migration20261129230000InvitePeople';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "invitation" ("id" uuid not null, "hash" varchar(64) not null, "created_at" timestamptz not null, "ends_at" timestamptz not null, primary key ("id"));`,
    );
    this.addSql(`alter table "invitation" add constraint "invitation_hash_unique" unique ("hash");`);
    this.addSql(`alter table "user_account" add "invitation_id" uuid null;`);
    this.addSql(
      `alter table "user_account" add constraint "user_account_invitation_id_foreign" foreign key ("invitation_id") references "invitation" ("id") on delete set null;`,
    );
    this.addSql(
      `alter table "user_account" add constraint "user_account_invitation_id_unique" unique ("invitation_id");`,
    );
  }
}
