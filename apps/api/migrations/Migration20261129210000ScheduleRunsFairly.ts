import { Migration } from '@mikro-orm/migrations';

export class Migration20261129210000ScheduleRunsFairly extends Migration {
  override name = 'Migration20261129210000ScheduleRunsFairly';

  override up(): void | Promise<void> {
    this.addSql(
      `alter table "run" add "owner_id" uuid null, add "leased_at" timestamptz null, add "admission_seconds" double precision null, add "evaluation_seconds" double precision null, add "expected_seconds" int null;`,
    );
    this.addSql(
      `update "run" set "leased_at" = case when "state" = 'leased' then coalesce("started_at", "created_at") end, "owner_id" = coalesce((select m."owner_id" from "model" m where m."specification_id" = "run"."specification_id" and m."task_id" = "run"."task_id" order by (m."state" = 'cancelled' or m."withdrawn"), m."id" limit 1), (select t."owner_id" from "task" t where t."id" = "run"."task_id"));`,
    );
    this.addSql(
      `alter table "run" alter column "owner_id" set not null, add constraint "run_owner_id_foreign" foreign key ("owner_id") references "user_account" ("id");`,
    );
    this.addSql(`drop index "run_queued";`);
    this.addSql(
      `create index "run_queued" on "run" ("stage", "purpose", "owner_id", "task_id", (floor(ln(coalesce(expected_seconds, 60)) / ln(2))::int), "id") where "state" = 'queued' and "kind" <> 'predictions';`,
    );
    this.addSql(`create index "run_finished" on "run" ("finished_at");`);
  }
}
