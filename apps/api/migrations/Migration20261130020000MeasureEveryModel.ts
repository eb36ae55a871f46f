import { Migration } from '@mikro-orm/migrations';

export class Migration20261130020000MeasureEveryModel extends Migration {
  override name = 'Migration20261130020000MeasureEveryModel';

  override up(): void | Promise<void> {
    this.addSql(`alter table "run" add "priority" smallint not null default 0;`);
    this.addSql(`update "run" set "priority" = case when "automatic" then 4 else 2 end where "purpose" = 'measures';`);
    this.addSql(`alter table "run" drop column "automatic";`);
    this.addSql(`alter table "evaluator" add "drained_by" uuid null;`);
    this.addSql(`drop index "run_queued";`);
    this.addSql(
      `create index "run_queued" on "run" ("stage", "priority", "owner_id", "task_id", (floor(ln(coalesce(expected_seconds, 60)) / ln(2))::int), "id") where "state" = 'queued' and "kind" <> 'predictions';`,
    );
  }
}
