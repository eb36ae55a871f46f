import { Migration } from '@mikro-orm/migrations';

export class Migration20261120000000 extends Migration {
  override name = 'Migration20261120000000';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "artifact" ("id" uuid not null, "digest" varchar(64) not null, "kind" varchar(12) not null, "size" bigint not null, "state" text not null, "failure" jsonb null, "image" jsonb null, "created_at" timestamptz not null, primary key ("id"));`,
    );
    this.addSql(`alter table "artifact" add constraint "artifact_digest_kind_unique" unique ("digest", "kind");`);

    this.addSql(
      `create table "outbox_event" ("id" bigserial primary key, "type" text not null, "payload" jsonb not null, "created_at" timestamptz not null default now(), "delivered_at" timestamptz null, "attempts" int not null default 0, "due_at" timestamptz not null default now());`,
    );
    this.addSql(`create index "outbox_event_undelivered" on "outbox_event" ("id") where "delivered_at" is null;`);

    this.addSql(
      `create table "run_specification" ("id" uuid not null, "key" varchar(64) not null, "artifact_id" uuid not null, "content" jsonb not null, "created_at" timestamptz not null, primary key ("id"));`,
    );
    this.addSql(`alter table "run_specification" add constraint "run_specification_key_unique" unique ("key");`);

    this.addSql(
      `create table "user_account" ("id" uuid not null, "username" varchar(39) not null, "username_key" varchar(39) not null, "email" varchar(254) not null, "password_hash" varchar(255) null, "role" text not null default 'user', "created_at" timestamptz not null, primary key ("id"));`,
    );
    this.addSql(
      `alter table "user_account" add constraint "user_account_username_key_unique" unique ("username_key");`,
    );
    this.addSql(`alter table "user_account" add constraint "user_account_email_unique" unique ("email");`);

    this.addSql(
      `create table "task" ("id" uuid not null, "slug" varchar(63) not null, "owner_id" uuid not null, "definition" jsonb not null, "created_at" timestamptz not null, "updated_at" timestamptz not null, primary key ("id"));`,
    );
    this.addSql(`alter table "task" add constraint "task_slug_unique" unique ("slug");`);

    this.addSql(
      `create table "run" ("id" uuid not null, "specification_id" uuid not null, "task_id" uuid not null, "stage" text not null, "state" text not null default 'queued', "fence" int not null default 0, "lease_until" timestamptz null, "lease_owner" varchar(100) null, "attempts" int not null default 0, "deadline" timestamptz not null, "failure" jsonb null, "log" text null, "created_at" timestamptz not null, "started_at" timestamptz null, "finished_at" timestamptz null, primary key ("id"));`,
    );
    this.addSql(`create index "run_state_lease_until_index" on "run" ("state", "lease_until");`);
    this.addSql(`create index "run_specification_id_task_id_index" on "run" ("specification_id", "task_id");`);

    this.addSql(
      `create table "round" ("id" uuid not null, "task_id" uuid not null, "number" int not null, "state" text not null, "imported" boolean not null, "created_at" timestamptz not null, primary key ("id"));`,
    );
    this.addSql(`alter table "round" add constraint "round_task_id_number_unique" unique ("task_id", "number");`);

    this.addSql(
      `create table "dataset" ("id" uuid not null, "task_id" uuid not null, "name" varchar(63) not null, "role" varchar(10) not null, "round" int null, "use" varchar(10) not null, "visibility" varchar(10) not null, "created_at" timestamptz not null, primary key ("id"));`,
    );
    this.addSql(`alter table "dataset" add constraint "dataset_task_id_name_unique" unique ("task_id", "name");`);

    this.addSql(
      `create table "dataset_version" ("id" uuid not null, "dataset_id" uuid not null, "number" int not null, "digest" varchar(64) not null, "content" varchar(64) not null, "inputs_digest" varchar(64) not null, "examples" int not null, "gold_counts" jsonb null, "status" text not null, "created_at" timestamptz not null, primary key ("id"));`,
    );
    this.addSql(
      `alter table "dataset_version" add constraint "dataset_version_dataset_id_digest_unique" unique ("dataset_id", "digest");`,
    );
    this.addSql(
      `alter table "dataset_version" add constraint "dataset_version_dataset_id_number_unique" unique ("dataset_id", "number");`,
    );

    this.addSql(
      `create table "evaluation" ("id" uuid not null, "specification_id" uuid not null, "dataset_version_id" uuid not null, "state" text not null default 'queued', "failure" jsonb null, "run" uuid null, "metrics" jsonb null, "measures" jsonb null, "slices" jsonb null, "invalid" int not null default 0, "predictions" varchar(64) null, "created_at" timestamptz not null, "finished_at" timestamptz null, primary key ("id"));`,
    );
    this.addSql(
      `create index "evaluation_dataset_version_id_state_index" on "evaluation" ("dataset_version_id", "state");`,
    );
    this.addSql(
      `alter table "evaluation" add constraint "evaluation_specification_id_dataset_version_id_unique" unique ("specification_id", "dataset_version_id");`,
    );

    this.addSql(
      `create table "board_revision" ("id" uuid not null, "task_id" uuid not null, "number" int not null, "benchmark_version" int not null, "content" jsonb not null, "digest" varchar(64) not null, "published_at" timestamptz not null, primary key ("id"));`,
    );
    this.addSql(
      `create index "board_revision_task_id_published_at_index" on "board_revision" ("task_id", "published_at");`,
    );
    this.addSql(
      `alter table "board_revision" add constraint "board_revision_task_id_number_unique" unique ("task_id", "number");`,
    );

    this.addSql(
      `create table "benchmark_version" ("id" uuid not null, "task_id" uuid not null, "number" int not null, "datasets" jsonb not null, "definition" jsonb not null, "metric_versions" jsonb not null, "amrs" jsonb null, "created_at" timestamptz not null, primary key ("id"));`,
    );
    this.addSql(
      `alter table "benchmark_version" add constraint "benchmark_version_task_id_number_unique" unique ("task_id", "number");`,
    );

    this.addSql(
      `create table "model" ("id" uuid not null, "task_id" uuid not null, "owner_id" uuid not null, "name" varchar(120) not null, "kind" varchar(12) not null, "description" text not null, "card" text not null, "trained_on" jsonb not null, "protocol" varchar(20) not null, "command" jsonb null, "specification_id" uuid null, "state" text not null default 'awaiting-artifact', "failure" jsonb null, "published" boolean not null, "withdrawn" boolean not null default false, "created_at" timestamptz not null, "accepted_at" timestamptz null, primary key ("id"));`,
    );
    this.addSql(`create index "model_task_id_state_index" on "model" ("task_id", "state");`);
    this.addSql(`create index "model_specification_id_index" on "model" ("specification_id");`);

    this.addSql(
      `create table "promotion" ("id" uuid not null, "task_id" uuid not null, "model_id" uuid not null, "evidence" jsonb not null, "since" timestamptz not null, "until" timestamptz null, primary key ("id"));`,
    );
    this.addSql(`create index "promotion_task_id_until_index" on "promotion" ("task_id", "until");`);

    this.addSql(
      `create table "credential" ("id" uuid not null, "user_id" uuid not null, "kind" text not null, "name" varchar(100) not null, "hash" varchar(64) not null, "created_at" timestamptz not null, "last_used_at" timestamptz null, "expires_at" timestamptz null, primary key ("id"));`,
    );
    this.addSql(`alter table "credential" add constraint "credential_hash_unique" unique ("hash");`);

    this.addSql(
      `alter table "artifact" add constraint "artifact_state_check" check ("state" in ('received', 'admitted', 'refused'));`,
    );

    this.addSql(
      `create or replace function "outbox_event_outbox_event_rings_fn"() returns trigger as \$\$ begin perform pg_notify('assay_outbox', ''); return null; end; \$\$ language plpgsql;`,
    );
    this.addSql(
      `create trigger "outbox_event_rings" AFTER INSERT on "outbox_event" for each STATEMENT execute function "outbox_event_outbox_event_rings_fn"();`,
    );

    this.addSql(
      `alter table "run_specification" add constraint "run_specification_artifact_id_foreign" foreign key ("artifact_id") references "artifact" ("id");`,
    );

    this.addSql(
      `alter table "user_account" add constraint "user_account_role_check" check ("role" in ('administrator', 'user'));`,
    );

    this.addSql(
      `alter table "task" add constraint "task_owner_id_foreign" foreign key ("owner_id") references "user_account" ("id");`,
    );

    this.addSql(
      `alter table "run" add constraint "run_specification_id_foreign" foreign key ("specification_id") references "run_specification" ("id");`,
    );
    this.addSql(
      `alter table "run" add constraint "run_task_id_foreign" foreign key ("task_id") references "task" ("id");`,
    );
    this.addSql(`alter table "run" add constraint "run_stage_check" check ("stage" in ('admission', 'evaluation'));`);
    this.addSql(
      `alter table "run" add constraint "run_state_check" check ("state" in ('queued', 'leased', 'done', 'failed', 'cancelled'));`,
    );

    this.addSql(
      `alter table "round" add constraint "round_task_id_foreign" foreign key ("task_id") references "task" ("id") on delete cascade;`,
    );
    this.addSql(`alter table "round" add constraint "round_state_check" check ("state" in ('open', 'closed'));`);

    this.addSql(
      `alter table "dataset" add constraint "dataset_task_id_foreign" foreign key ("task_id") references "task" ("id") on delete cascade;`,
    );

    this.addSql(
      `alter table "dataset_version" add constraint "dataset_version_dataset_id_foreign" foreign key ("dataset_id") references "dataset" ("id") on delete cascade;`,
    );
    this.addSql(
      `alter table "dataset_version" add constraint "dataset_version_status_check" check ("status" in ('active', 'proposed', 'retired'));`,
    );

    this.addSql(
      `alter table "evaluation" add constraint "evaluation_specification_id_foreign" foreign key ("specification_id") references "run_specification" ("id");`,
    );
    this.addSql(
      `alter table "evaluation" add constraint "evaluation_dataset_version_id_foreign" foreign key ("dataset_version_id") references "dataset_version" ("id");`,
    );
    this.addSql(
      `alter table "evaluation" add constraint "evaluation_state_check" check ("state" in ('queued', 'running', 'scored', 'failed', 'cancelled'));`,
    );

    this.addSql(
      `alter table "board_revision" add constraint "board_revision_task_id_foreign" foreign key ("task_id") references "task" ("id");`,
    );

    this.addSql(
      `alter table "benchmark_version" add constraint "benchmark_version_task_id_foreign" foreign key ("task_id") references "task" ("id") on delete cascade;`,
    );

    this.addSql(
      `alter table "model" add constraint "model_task_id_foreign" foreign key ("task_id") references "task" ("id");`,
    );
    this.addSql(
      `alter table "model" add constraint "model_owner_id_foreign" foreign key ("owner_id") references "user_account" ("id");`,
    );
    this.addSql(
      `alter table "model" add constraint "model_specification_id_foreign" foreign key ("specification_id") references "run_specification" ("id") on delete set null;`,
    );
    this.addSql(
      `alter table "model" add constraint "model_state_check" check ("state" in ('awaiting-artifact', 'admitting', 'queued', 'running', 'scored', 'failed', 'cancelled'));`,
    );

    this.addSql(
      `alter table "promotion" add constraint "promotion_task_id_foreign" foreign key ("task_id") references "task" ("id");`,
    );
    this.addSql(
      `alter table "promotion" add constraint "promotion_model_id_foreign" foreign key ("model_id") references "model" ("id");`,
    );

    this.addSql(
      `alter table "credential" add constraint "credential_user_id_foreign" foreign key ("user_id") references "user_account" ("id") on delete cascade;`,
    );
    this.addSql(
      `alter table "credential" add constraint "credential_kind_check" check ("kind" in ('token', 'session'));`,
    );
  }
}
