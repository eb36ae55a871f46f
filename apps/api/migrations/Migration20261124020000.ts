import { Migration } from '@mikro-orm/migrations';

export class Migration20261124020000 extends Migration {
  override name = 'Migration20261124020000';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "provider_sign_in" ("hash" varchar(64) not null, "state" varchar(64) not null, "nonce" varchar(64) not null, "code_verifier" varchar(128) not null, "next" varchar(500) not null, "link_to" uuid null, "replaces" uuid null, "person" jsonb null, "ends_at" timestamptz not null, primary key ("hash"));`,
    );
    this.addSql(`create index "provider_sign_in_ends_at_index" on "provider_sign_in" ("ends_at");`);

    this.addSql(
      `create table "sign_in_attempt" ("account" varchar(64) not null, "attempts" int not null, "ends_at" timestamptz not null, primary key ("account"));`,
    );
    this.addSql(`create index "sign_in_attempt_ends_at_index" on "sign_in_attempt" ("ends_at");`);

    this.addSql(
      `create table "external_identity" ("id" uuid not null, "user_id" uuid not null, "issuer" varchar(500) not null, "subject" varchar(255) not null, "created_at" timestamptz not null, primary key ("id"));`,
    );
    this.addSql(`create index "external_identity_user_id_index" on "external_identity" ("user_id");`);
    this.addSql(
      `alter table "external_identity" add constraint "external_identity_issuer_subject_unique" unique ("issuer", "subject");`,
    );

    this.addSql(`alter table "user_account" add "storage_limit" bigint null;`);

    this.addSql(
      `alter table "credential" add "scope" varchar(10) not null default 'all', add "method" varchar(10) null;`,
    );

    this.addSql(
      `alter table "external_identity" add constraint "external_identity_user_id_foreign" foreign key ("user_id") references "user_account" ("id") on delete cascade;`,
    );
    this.addSql(
      `update credential set expires_at = now() + interval '365 days' where kind = 'token' and expires_at is null and name <> 'admin-token';`,
    );
  }
}
