import { Migration } from '@mikro-orm/migrations';

export class Migration20261122070000 extends Migration {
  override name = 'Migration20261122070000';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "crowd_link" ("id" uuid not null, "round_id" uuid not null, "platform" varchar(10) not null, "examples" int not null, "pay" jsonb not null, "onboarding" jsonb null, "completion_code" varchar(64) null, "frame_ancestors" jsonb not null, "submit_to" jsonb not null, "expires_at" timestamptz not null, "closed_at" timestamptz null, "created_at" timestamptz not null, primary key ("id"));`,
    );
    this.addSql(`create index "crowd_link_round_id_index" on "crowd_link" ("round_id");`);

    this.addSql(
      `create table "crowd_session" ("id" uuid not null, "link_id" uuid not null, "user_id" uuid not null, "platform" varchar(10) not null, "worker" varchar(100) not null, "assignment" varchar(100) not null, "hit" varchar(100) null, "submit_to" varchar(500) null, "credential" uuid null, "state" varchar(10) not null, "has_passed" boolean not null, "attempts" int not null default 0, "ended_at" timestamptz null, "early" boolean not null default false, "paid" double precision null, "examples" int null, "code" varchar(64) null, "finished_at" timestamptz null, "created_at" timestamptz not null, primary key ("id"));`,
    );
    this.addSql(`create index "crowd_session_link_id_index" on "crowd_session" ("link_id");`);
    this.addSql(`create index "crowd_session_user_id_index" on "crowd_session" ("user_id");`);
    this.addSql(`create index "crowd_session_credential_index" on "crowd_session" ("credential");`);
    this.addSql(
      `alter table "crowd_session" add constraint "crowd_session_platform_assignment_unique" unique ("platform", "assignment");`,
    );

    this.addSql(`alter table "user_account" drop constraint "user_account_role_check";`);
    this.addSql(
      `alter table "user_account" add constraint "user_account_role_check" check ("role" in ('administrator', 'user', 'crowd'));`,
    );

    this.addSql(
      `alter table "crowd_link" add constraint "crowd_link_round_id_foreign" foreign key ("round_id") references "round" ("id") on delete cascade;`,
    );
    this.addSql(
      `alter table "crowd_session" add constraint "crowd_session_link_id_foreign" foreign key ("link_id") references "crowd_link" ("id") on delete cascade;`,
    );
    this.addSql(
      `alter table "crowd_session" add constraint "crowd_session_user_id_foreign" foreign key ("user_id") references "user_account" ("id");`,
    );
  }
}
