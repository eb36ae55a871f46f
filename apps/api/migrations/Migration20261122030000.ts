import { Migration } from '@mikro-orm/migrations';

export class Migration20261122030000 extends Migration {
  override name = 'Migration20261122030000';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "example_fingerprint" ("annotation_id" uuid not null, "task_id" uuid not null, "bands" text[] not null, primary key ("annotation_id"));`,
    );
    this.addSql(`create index "example_fingerprint_bands" on "example_fingerprint" using gin ("bands");`);

    this.addSql(
      `create table "assignment" ("id" uuid not null, "round_id" uuid not null, "context_id" uuid not null, "user_id" uuid not null, "state" varchar(10) not null default 'open', "goal" varchar(300) null, "tag" varchar(200) null, "contrast_to_id" uuid null, "expires_at" timestamptz not null, "created_at" timestamptz not null, primary key ("id"));`,
    );
    this.addSql(`create index "assignment_user_id_created_at_index" on "assignment" ("user_id", "created_at");`);
    this.addSql(`create index "assignment_context_id_user_id_index" on "assignment" ("context_id", "user_id");`);
    this.addSql(
      `create unique index "assignment_open_of_user" on "assignment" ("round_id", "user_id") where "state" = 'open';`,
    );
    this.addSql(
      `create unique index "assignment_open_of_context" on "assignment" ("context_id") where "state" = 'open' and "contrast_to_id" is null;`,
    );

    this.addSql(`drop index "round_context_round_id_annotations_index";`);
    this.addSql(`alter table "round_context" add "draw" double precision not null default random();`);
    this.addSql(
      `create index "round_context_round_id_annotations_draw_index" on "round_context" ("round_id", "annotations", "draw");`,
    );
    this.addSql(
      `create index "round_context_round_id_fooled_draw_index" on "round_context" ("round_id", "fooled", "draw");`,
    );
    this.addSql(`create index "round_context_round_id_draw_index" on "round_context" ("round_id", "draw");`);

    this.addSql(`alter table "annotation" add "span" jsonb null, add "choices" jsonb null;`);

    this.addSql(
      `alter table "example_fingerprint" add constraint "example_fingerprint_annotation_id_foreign" foreign key ("annotation_id") references "annotation" ("id") on update cascade on delete cascade;`,
    );
    this.addSql(
      `alter table "example_fingerprint" add constraint "example_fingerprint_task_id_foreign" foreign key ("task_id") references "task" ("id") on delete cascade;`,
    );

    this.addSql(
      `alter table "assignment" add constraint "assignment_round_id_foreign" foreign key ("round_id") references "round" ("id") on delete cascade;`,
    );
    this.addSql(
      `alter table "assignment" add constraint "assignment_context_id_foreign" foreign key ("context_id") references "round_context" ("id") on delete cascade;`,
    );
    this.addSql(
      `alter table "assignment" add constraint "assignment_user_id_foreign" foreign key ("user_id") references "user_account" ("id");`,
    );
    this.addSql(
      `alter table "assignment" add constraint "assignment_contrast_to_id_foreign" foreign key ("contrast_to_id") references "annotation" ("id") on delete cascade;`,
    );
  }
}
