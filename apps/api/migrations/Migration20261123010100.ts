import { Migration } from '@mikro-orm/migrations';

export class Migration20261123010100 extends Migration {
  override name = 'Migration20261123010100';

  override up(): void | Promise<void> {
    this.addSql(`alter table "user_account" add "blocked_at" timestamptz null;`);
    this.addSql(
      `create table "evaluator_presence" ("name" varchar(100) not null, "started_at" timestamptz not null default now(), "seen_at" timestamptz not null default now(), primary key ("name"));`,
    );
  }
}
