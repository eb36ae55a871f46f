import { Migration } from '@mikro-orm/migrations';

export class Migration20261122060001 extends Migration {
  override name = 'Migration20261122060001';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "profile" ("id" uuid not null, "user_id" uuid not null, "display_name" varchar(60) null, "bio" varchar(2000) not null default '', "board" varchar(10) not null default 'pseudonym', "shows" jsonb not null default '[]', "updated_at" timestamptz not null, primary key ("id"));`,
    );
    this.addSql(`alter table "profile" add constraint "profile_user_id_unique" unique ("user_id");`);

    this.addSql(
      `create table "appeal" ("id" uuid not null, "annotation_id" uuid not null, "user_id" uuid not null, "reason" varchar(2000) not null, "created_at" timestamptz not null, primary key ("id"));`,
    );
    this.addSql(`alter table "appeal" add constraint "appeal_annotation_id_unique" unique ("annotation_id");`);

    this.addSql(
      `create table "badge_award" ("id" uuid not null, "user_id" uuid not null, "badge" varchar(40) not null, "created_at" timestamptz not null, primary key ("id"));`,
    );
    this.addSql(
      `alter table "badge_award" add constraint "badge_award_user_id_badge_unique" unique ("user_id", "badge");`,
    );

    this.addSql(
      `create table "notification" ("id" uuid not null, "user_id" uuid not null, "kind" varchar(20) not null, "key" varchar(200) not null, "data" jsonb not null, "app" boolean not null, "mail" boolean not null, "created_at" timestamptz not null, "read_at" timestamptz null, "mailed_at" timestamptz null, primary key ("id"));`,
    );
    this.addSql(`create index "notification_user_id_created_at_index" on "notification" ("user_id", "created_at");`);
    this.addSql(
      `alter table "notification" add constraint "notification_key_user_id_unique" unique ("key", "user_id");`,
    );

    this.addSql(
      `create table "notification_settings" ("id" uuid not null, "user_id" uuid not null, "kinds" jsonb not null, primary key ("id"));`,
    );
    this.addSql(
      `alter table "notification_settings" add constraint "notification_settings_user_id_unique" unique ("user_id");`,
    );

    for (const table of ['profile', 'appeal', 'badge_award', 'notification', 'notification_settings']) {
      this.addSql(
        `alter table "${table}" add constraint "${table}_user_id_foreign" foreign key ("user_id") references "user_account" ("id");`,
      );
    }
    this.addSql(
      `alter table "appeal" add constraint "appeal_annotation_id_foreign" foreign key ("annotation_id") references "annotation" ("id") on delete cascade;`,
    );
  }
}
