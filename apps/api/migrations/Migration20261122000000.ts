import { Migration } from '@mikro-orm/migrations';

export class Migration20261122000000 extends Migration {
  override name = 'Migration20261122000000';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "round_context" ("id" uuid not null, "round_id" uuid not null, "external_id" varchar(200) not null, "content" jsonb not null, "tags" jsonb not null default '[]', "metadata" jsonb not null, "annotations" int not null default 0, "fooled" int not null default 0, "skips" int not null default 0, "flags" int not null default 0, "active" boolean not null default true, "created_at" timestamptz not null, primary key ("id"));`,
    );
    this.addSql(
      `create index "round_context_round_id_annotations_index" on "round_context" ("round_id", "annotations");`,
    );
    this.addSql(
      `alter table "round_context" add constraint "round_context_round_id_external_id_unique" unique ("round_id", "external_id");`,
    );

    this.addSql(
      `create table "participation" ("id" uuid not null, "round_id" uuid not null, "user_id" uuid not null, "condition" varchar(40) null, "created_at" timestamptz not null, primary key ("id"));`,
    );
    this.addSql(
      `alter table "participation" add constraint "participation_round_id_user_id_unique" unique ("round_id", "user_id");`,
    );

    this.addSql(
      `create table "round_model" ("id" uuid not null, "round_id" uuid not null, "model_id" uuid not null, "reason" varchar(12) not null, "evidence" jsonb null, "since" timestamptz not null, "until" timestamptz null, "left" varchar(300) null, primary key ("id"));`,
    );
    this.addSql(`create index "round_model_round_id_until_index" on "round_model" ("round_id", "until");`);

    this.addSql(
      `create table "context_mark" ("id" uuid not null, "context_id" uuid not null, "user_id" uuid not null, "kind" varchar(10) not null, "reason" varchar(1000) null, "created_at" timestamptz not null, primary key ("id"));`,
    );
    this.addSql(
      `alter table "context_mark" add constraint "context_mark_context_id_user_id_kind_unique" unique ("context_id", "user_id", "kind");`,
    );

    this.addSql(
      `create table "consent" ("id" uuid not null, "task_id" uuid not null, "user_id" uuid not null, "consent_version" varchar(40) null, "licence_version" varchar(40) null, "minimum_age" int null, "warned" boolean not null, "created_at" timestamptz not null, primary key ("id"));`,
    );
    this.addSql(`alter table "consent" add constraint "consent_task_id_user_id_unique" unique ("task_id", "user_id");`);

    this.addSql(
      `create table "annotation" ("id" uuid not null, "round_id" uuid not null, "context_id" uuid null, "annotator_id" uuid null, "pseudonym" varchar(64) not null, "key" varchar(100) not null, "source" varchar(10) not null, "is_check" boolean not null default false, "condition" varchar(40) null, "input" jsonb not null, "author_label" jsonb not null, "label" jsonb not null, "goal" varchar(300) null, "fooled" boolean null, "answers" jsonb not null, "target_id" uuid null, "explanations" jsonb not null, "extra" jsonb not null, "findings" jsonb not null default '[]', "contrast_to_id" uuid null, "edit_distance" int null, "seconds" double precision null, "retracted_at" timestamptz null, "outcome" varchar(10) not null default 'pending', "decided_by_owner" boolean not null default false, "decided_at" timestamptz null, "split" varchar(5) null, "created_at" timestamptz not null, primary key ("id"));`,
    );
    this.addSql(`create index "annotation_round_id_outcome_index" on "annotation" ("round_id", "outcome");`);
    this.addSql(
      `create index "annotation_annotator_id_created_at_index" on "annotation" ("annotator_id", "created_at");`,
    );
    this.addSql(`create index "annotation_context_id_index" on "annotation" ("context_id");`);
    this.addSql(
      `alter table "annotation" add constraint "annotation_round_id_annotator_id_key_unique" unique ("round_id", "annotator_id", "key");`,
    );

    this.addSql(
      `create table "validation" ("id" uuid not null, "annotation_id" uuid not null, "validator_id" uuid null, "pseudonym" varchar(64) not null, "label" jsonb null, "verdict" varchar(10) null, "right_label" jsonb null, "reason" varchar(1000) null, "extra" jsonb not null, "by_owner" boolean not null default false, "seconds" double precision null, "created_at" timestamptz not null, "answered_at" timestamptz null, primary key ("id"));`,
    );
    this.addSql(
      `create index "validation_validator_id_created_at_index" on "validation" ("validator_id", "created_at");`,
    );
    this.addSql(
      `alter table "validation" add constraint "validation_annotation_id_validator_id_unique" unique ("annotation_id", "validator_id");`,
    );

    this.addSql(`alter table "round" drop constraint "round_state_check";`);
    this.addSql(
      `alter table "round" add "description" text not null default '', add "settings" jsonb null, add "opened_at" timestamptz null, add "closed_at" timestamptz null, add "closed_by" varchar(200) null, add "closing_step" varchar(10) null;`,
    );
    this.addSql(`alter table "round" alter column "state" type varchar(10) using ("state"::varchar(10));`);

    this.addSql(
      `alter table "round_context" add constraint "round_context_round_id_foreign" foreign key ("round_id") references "round" ("id") on delete cascade;`,
    );

    this.addSql(
      `alter table "participation" add constraint "participation_round_id_foreign" foreign key ("round_id") references "round" ("id") on delete cascade;`,
    );
    this.addSql(
      `alter table "participation" add constraint "participation_user_id_foreign" foreign key ("user_id") references "user_account" ("id");`,
    );

    this.addSql(
      `alter table "round_model" add constraint "round_model_round_id_foreign" foreign key ("round_id") references "round" ("id") on delete cascade;`,
    );
    this.addSql(
      `alter table "round_model" add constraint "round_model_model_id_foreign" foreign key ("model_id") references "model" ("id");`,
    );

    this.addSql(
      `alter table "context_mark" add constraint "context_mark_context_id_foreign" foreign key ("context_id") references "round_context" ("id") on delete cascade;`,
    );
    this.addSql(
      `alter table "context_mark" add constraint "context_mark_user_id_foreign" foreign key ("user_id") references "user_account" ("id");`,
    );

    this.addSql(
      `alter table "consent" add constraint "consent_task_id_foreign" foreign key ("task_id") references "task" ("id") on delete cascade;`,
    );
    this.addSql(
      `alter table "consent" add constraint "consent_user_id_foreign" foreign key ("user_id") references "user_account" ("id");`,
    );

    this.addSql(
      `alter table "annotation" add constraint "annotation_round_id_foreign" foreign key ("round_id") references "round" ("id") on delete cascade;`,
    );
    this.addSql(
      `alter table "annotation" add constraint "annotation_context_id_foreign" foreign key ("context_id") references "round_context" ("id") on delete set null;`,
    );
    this.addSql(
      `alter table "annotation" add constraint "annotation_annotator_id_foreign" foreign key ("annotator_id") references "user_account" ("id") on delete set null;`,
    );
    this.addSql(
      `alter table "annotation" add constraint "annotation_target_id_foreign" foreign key ("target_id") references "model" ("id") on delete set null;`,
    );
    this.addSql(
      `alter table "annotation" add constraint "annotation_contrast_to_id_foreign" foreign key ("contrast_to_id") references "annotation" ("id") on delete set null;`,
    );

    this.addSql(
      `alter table "validation" add constraint "validation_annotation_id_foreign" foreign key ("annotation_id") references "annotation" ("id") on delete cascade;`,
    );
    this.addSql(
      `alter table "validation" add constraint "validation_validator_id_foreign" foreign key ("validator_id") references "user_account" ("id") on delete set null;`,
    );
  }
}
