import { Migration } from '@mikro-orm/migrations';

export class Migration20261122060000 extends Migration {
  override name = 'Migration20261122060000';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "consent_record" ("id" uuid not null, "task_id" uuid not null, "user_id" uuid not null, "consent_version" varchar(40) null, "licence_version" varchar(40) null, "minimum_age" int null, "warned" boolean not null, "created_at" timestamptz not null, primary key ("id"));`,
    );
    this.addSql(
      `create index "consent_record_task_id_user_id_created_at_index" on "consent_record" ("task_id", "user_id", "created_at");`,
    );
    this.addSql(
      `alter table "consent_record" add constraint "consent_record_task_id_foreign" foreign key ("task_id") references "task" ("id") on delete cascade;`,
    );
    this.addSql(
      `alter table "consent_record" add constraint "consent_record_user_id_foreign" foreign key ("user_id") references "user_account" ("id");`,
    );
  }
}
