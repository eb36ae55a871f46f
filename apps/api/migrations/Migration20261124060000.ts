import { Migration } from '@mikro-orm/migrations';

export class Migration20261124060000 extends Migration {
  override name = 'Migration20261124060000';

  override up(): void | Promise<void> {
    this.addSql(`alter table "outbox_event" add "origin" jsonb null;`);
    this.addSql(`alter table "run" add "origin" jsonb null;`);
    this.addSql(`alter table "evaluator_presence" add "problems" jsonb not null default '[]';`);
  }
}
