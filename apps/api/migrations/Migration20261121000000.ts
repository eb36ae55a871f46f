import { Migration } from '@mikro-orm/migrations';

export class Migration20261121000000 extends Migration {
  override name = 'Migration20261121000000';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "measurement" ("id" uuid not null, "specification_id" uuid not null, "task_id" uuid not null, "run" uuid not null, "hardware" varchar(200) not null, "measures" jsonb not null, "created_at" timestamptz not null, primary key ("id"));`,
    );
    this.addSql(`alter table "measurement" add constraint "measurement_run_unique" unique ("run");`);
    this.addSql(
      `create index "measurement_specification_id_task_id_hardware_index" on "measurement" ("specification_id", "task_id", "hardware");`,
    );

    this.addSql(
      `create table "board_snapshot" ("id" uuid not null, "task_id" uuid not null, "owner_id" uuid not null, "name" varchar(63) not null, "description" text not null, "weighing" jsonb not null, "revision" int not null, "board" text not null, "created_at" timestamptz not null, primary key ("id"));`,
    );
    this.addSql(
      `alter table "board_snapshot" add constraint "board_snapshot_task_id_name_unique" unique ("task_id", "name");`,
    );

    this.addSql(
      `create table "board_fork" ("id" uuid not null, "task_id" uuid not null, "owner_id" uuid not null, "name" varchar(63) not null, "description" text not null, "weighing" jsonb not null, "created_at" timestamptz not null, primary key ("id"));`,
    );
    this.addSql(`alter table "board_fork" add constraint "board_fork_task_id_name_unique" unique ("task_id", "name");`);

    this.addSql(`alter table "artifact" add "archived_at" timestamptz null;`);

    this.addSql(`alter table "run_specification" add "repeatability" jsonb null;`);

    this.addSql(`alter table "run" add "purpose" text not null default 'evaluation';`);
    this.addSql(
      `alter table "run" add constraint "run_purpose_check" check ("purpose" in ('evaluation', 'measures'));`,
    );

    this.addSql(
      `alter table "dataset" add "public_since" timestamptz null, add "against" jsonb not null default '[]', add "perturbation" varchar(10) null, add "original_id" uuid null;`,
    );
    this.addSql(
      `alter table "dataset" add constraint "dataset_original_id_foreign" foreign key ("original_id") references "dataset" ("id") on delete set null;`,
    );
    this.addSql(`alter table "dataset" alter column "name" type varchar(80) using ("name"::varchar(80));`);
    // since when is not known of what came before: since it came
    this.addSql(`update "dataset" set "public_since" = "created_at" where "visibility" <> 'hidden';`);

    this.addSql(
      `alter table "dataset_version" add "fields" jsonb null, add "original_id" uuid null, add "transforms" jsonb null;`,
    );
    this.addSql(
      `alter table "dataset_version" add constraint "dataset_version_original_id_foreign" foreign key ("original_id") references "dataset_version" ("id") on delete set null;`,
    );

    this.addSql(
      `alter table "evaluation" add "slice_spreads" jsonb null, add "calibration" jsonb null, add "perturbed" jsonb null, add "scoring_key" varchar(64) null, add "resamples" varchar(64) null;`,
    );

    this.addSql(
      `alter table "measurement" add constraint "measurement_specification_id_foreign" foreign key ("specification_id") references "run_specification" ("id");`,
    );
    this.addSql(
      `alter table "measurement" add constraint "measurement_task_id_foreign" foreign key ("task_id") references "task" ("id");`,
    );

    this.addSql(
      `alter table "board_snapshot" add constraint "board_snapshot_task_id_foreign" foreign key ("task_id") references "task" ("id") on delete cascade;`,
    );
    this.addSql(
      `alter table "board_snapshot" add constraint "board_snapshot_owner_id_foreign" foreign key ("owner_id") references "user_account" ("id");`,
    );

    this.addSql(
      `alter table "board_fork" add constraint "board_fork_task_id_foreign" foreign key ("task_id") references "task" ("id") on delete cascade;`,
    );
    this.addSql(
      `alter table "board_fork" add constraint "board_fork_owner_id_foreign" foreign key ("owner_id") references "user_account" ("id");`,
    );
  }
}
