import { Migration } from '@mikro-orm/migrations';

export class Migration20261126040000 extends Migration {
  override name = 'Migration20261126040000';

  override up(): void | Promise<void> {
    this.addSql(`alter table "credential" add "parent_id" uuid null;`);
    this.addSql(`create index "credential_parent_id_index" on "credential" ("parent_id");`);
    this.addSql(
      `alter table "credential" add constraint "credential_parent_id_foreign" foreign key ("parent_id") references "credential" ("id") on delete cascade;`,
    );

    this.addSql(`alter table "credential" add "proven_at" timestamptz null;`);
    // at a provider it may have been before the session
    this.addSql(
      `update "credential" set "proven_at" = "created_at" where "kind" = 'session' and "method" in ('password', 'token');`,
    );

    this.addSql(`alter table "user_account" add "email_verified_at" timestamptz null;`);
    // the provider had verified the address
    this.addSql(
      `update "user_account" set "email_verified_at" = now() where "password_hash" is null and "deleted_at" is null and exists (select from "external_identity" where "user_id" = "user_account"."id");`,
    );
    this.addSql(
      `create table "mail_confirmation" ("id" uuid not null, "user_id" uuid not null, "hash" varchar(64) null, "created_at" timestamptz not null, "sent_at" timestamptz null, primary key ("id"));`,
    );
    this.addSql(
      `create index "mail_confirmation_user_id_created_at_index" on "mail_confirmation" ("user_id", "created_at");`,
    );
    this.addSql(
      `create index "mail_confirmation_unsent" on "mail_confirmation" ("created_at") where "sent_at" is null;`,
    );
    this.addSql(`alter table "mail_confirmation" add constraint "mail_confirmation_hash_unique" unique ("hash");`);
    this.addSql(
      `alter table "mail_confirmation" add constraint "mail_confirmation_user_id_foreign" foreign key ("user_id") references "user_account" ("id") on delete cascade;`,
    );
  }
}
