import { Migration } from '@mikro-orm/migrations';

export class Migration20261129234000CompareLiveAnswers extends Migration {
  override name = 'Migration20261129234000CompareLiveAnswers';

  override up(): void | Promise<void> {
    this.addSql(`alter table "model" add "live_difference" jsonb null;`);
  }
}
