import { Migration } from '@mikro-orm/migrations';

/** Stores the standing of each task's newest board. The overview fills in those of boards from before. */
export class Migration20261130141000SummariseBoards extends Migration {
  override name = 'Migration20261130141000SummariseBoards';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "board_summary" ("task_id" uuid not null, "revision" int not null, "disclosed" jsonb not null, "exact" jsonb null, primary key ("task_id"));`,
    );
    this.addSql(
      `alter table "board_summary" add constraint "board_summary_task_id_foreign" foreign key ("task_id") references "task" ("id") on update cascade on delete cascade;`,
    );
  }
}
