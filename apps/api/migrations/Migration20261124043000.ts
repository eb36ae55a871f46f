import { Migration } from '@mikro-orm/migrations';

export class Migration20261124043000 extends Migration {
  override name = 'Migration20261124043000';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "stale_board" ("id" bigserial primary key, "task_id" uuid not null, "at" timestamptz not null default now());`,
    );
    this.addSql(`create index "stale_board_task_id_index" on "stale_board" ("task_id");`);
  }
}
