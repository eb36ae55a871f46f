import { Migration } from '@mikro-orm/migrations';

export class Migration20261125120000 extends Migration {
  override name = 'Migration20261125120000';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "webhook" ("id" uuid not null, "user_id" uuid not null, "url" text not null, "secret" text not null, "key_id" varchar(16) not null, "kinds" jsonb not null, "created_at" timestamptz not null, "disabled_at" timestamptz null, "disabled_by" varchar(10) null, "failing_since" timestamptz null, primary key ("id"));`,
    );
    this.addSql(`create index "webhook_user_id_index" on "webhook" ("user_id");`);

    this.addSql(
      `create table "webhook_delivery" ("id" uuid not null, "webhook_id" uuid not null, "kind" varchar(30) not null, "key" varchar(200) not null, "body" text not null, "state" varchar(10) not null default 'waiting', "created_at" timestamptz not null, "due_at" timestamptz not null default now(), "attempts" int not null default 0, "tries" int not null default 0, "lease_until" timestamptz null, "asked_at" timestamptz null, "log" jsonb not null default '[]', primary key ("id"));`,
    );
    this.addSql(`create index "webhook_delivery_waiting" on "webhook_delivery" ("due_at") where "state" = 'waiting';`);
    this.addSql(
      `alter table "webhook_delivery" add constraint "webhook_delivery_webhook_id_key_unique" unique ("webhook_id", "key");`,
    );

    this.addSql(
      `alter table "webhook" add constraint "webhook_user_id_foreign" foreign key ("user_id") references "user_account" ("id") on delete cascade;`,
    );

    this.addSql(
      `alter table "webhook_delivery" add constraint "webhook_delivery_webhook_id_foreign" foreign key ("webhook_id") references "webhook" ("id") on delete cascade;`,
    );
  }
}
