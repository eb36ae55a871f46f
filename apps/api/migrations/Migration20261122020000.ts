import { Migration } from '@mikro-orm/migrations';

export class Migration20261122020000 extends Migration {
  override name = 'Migration20261122020000';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "placement" ("id" uuid not null, "task_id" uuid not null, "model_id" uuid not null, "specification_id" uuid not null, "copy" int not null default 1, "state" varchar(10) not null, "evaluator" varchar(100) null, "address" varchar(300) null, "secret" varchar(64) null, "fence" int not null default 0, "lease_until" timestamptz null, "progress" jsonb null, "failure" jsonb null, "attempts" int not null default 0, "paused" boolean not null default false, "due_at" timestamptz not null default now(), "created_at" timestamptz not null default now(), "ready_at" timestamptz null, "ended_at" timestamptz null, primary key ("id"));`,
    );
    this.addSql(`create index "placement_model_id_created_at_index" on "placement" ("model_id", "created_at");`);
    this.addSql(
      `create unique index "placement_live" on "placement" ("task_id", "model_id", "copy") where "state" in ('wanted', 'starting', 'ready');`,
    );
    this.addSql(
      `alter table "placement" add constraint "placement_task_id_foreign" foreign key ("task_id") references "task" ("id") on delete cascade;`,
    );
    this.addSql(
      `alter table "placement" add constraint "placement_model_id_foreign" foreign key ("model_id") references "model" ("id") on delete cascade;`,
    );
    this.addSql(
      `alter table "placement" add constraint "placement_specification_id_foreign" foreign key ("specification_id") references "run_specification" ("id");`,
    );
  }
}
