import { Migration } from '@mikro-orm/migrations';

export class Migration20261129170000DelayRuns extends Migration {
  override name = 'Migration20261129170000DelayRuns';

  override up(): void | Promise<void> {
    this.addSql(`alter table "run" add "not_before" timestamptz null;`);
    this.addSql(`create index "run_queued" on "run" ("stage", "purpose", "id") where "state" = 'queued';`);
  }
}
