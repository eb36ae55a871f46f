import { Migration } from '@mikro-orm/migrations';

export class Migration20261128180000RecordQuestions extends Migration {
  override name = 'Migration20261128180000RecordQuestions';

  override up(): void | Promise<void> {
    this.addSql(`alter table "placement" add "asked_at" timestamptz null;`);
  }
}
