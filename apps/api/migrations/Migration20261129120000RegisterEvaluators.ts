import { Migration } from '@mikro-orm/migrations';

export class Migration20261129120000RegisterEvaluators extends Migration {
  override name = 'Migration20261129120000RegisterEvaluators';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "evaluator" ("id" uuid not null, "name" varchar(60) not null, "token_hash" varchar(64) not null, "owner_id" uuid null, "state" text not null default 'active', "created_at" timestamptz not null default now(), "removed_at" timestamptz null, "last_seen_at" timestamptz null, "version" varchar(60) null, "protocol" int null, "host" jsonb null, "slots" int null, primary key ("id"), constraint "evaluator_state_check" check ("state" in ('active', 'removed')));`,
    );
    this.addSql(`alter table "evaluator" add constraint "evaluator_token_hash_unique" unique ("token_hash");`);
    this.addSql(`create index "evaluator_owner_id_index" on "evaluator" ("owner_id");`);
    this.addSql(`create unique index "evaluator_active_name" on "evaluator" ("name") where "state" = 'active';`);
    this.addSql(
      `alter table "evaluator" add constraint "evaluator_owner_id_foreign" foreign key ("owner_id") references "user_account" ("id") on delete cascade;`,
    );
  }
}
