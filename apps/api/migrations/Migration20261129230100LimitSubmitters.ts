import { Migration } from '@mikro-orm/migrations';

export class Migration20261129230100LimitSubmitters extends Migration {
  override name = 'Migration20261129230100LimitSubmitters';

  override up(): void | Promise<void> {
    this.addSql(`alter table "task" add "limits_submitters" boolean not null default false;`);
    this.addSql(
      `create table "task_submitter" ("id" uuid not null, "task_id" uuid not null, "user_id" uuid not null, primary key ("id"));`,
    );
    this.addSql(`create index "task_submitter_user_id_index" on "task_submitter" ("user_id");`);
    this.addSql(
      `alter table "task_submitter" add constraint "task_submitter_task_id_user_id_unique" unique ("task_id", "user_id");`,
    );
    this.addSql(
      `alter table "task_submitter" add constraint "task_submitter_task_id_foreign" foreign key ("task_id") references "task" ("id") on delete cascade;`,
    );
    this.addSql(
      `alter table "task_submitter" add constraint "task_submitter_user_id_foreign" foreign key ("user_id") references "user_account" ("id") on delete cascade;`,
    );
  }
}
