import { Migration } from '@mikro-orm/migrations';

export class Migration20261122010000 extends Migration {
  override name = 'Migration20261122010000';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "round_release" ("id" uuid not null, "round_id" uuid not null, "part" varchar(10) not null, "dataset" varchar(80) null, "examples" int not null, "content" varchar(64) not null, "created_at" timestamptz not null, primary key ("id"));`,
    );
    this.addSql(
      `alter table "round_release" add constraint "round_release_round_id_part_unique" unique ("round_id", "part");`,
    );
    this.addSql(
      `alter table "round_release" add constraint "round_release_round_id_foreign" foreign key ("round_id") references "round" ("id") on delete cascade;`,
    );
    this.addSql(`alter table "annotation" add "answered_at" timestamptz null;`);
    this.addSql(`alter table "model" add "in_loop" boolean not null default true;`);
    this.addSql(`alter table "round" add "pending_until" timestamptz null, add "benchmark_version" int null;`);
  }
}
