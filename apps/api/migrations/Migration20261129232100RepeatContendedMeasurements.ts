import { Migration } from '@mikro-orm/migrations';

export class Migration20261129232100RepeatContendedMeasurements extends Migration {
  override name = 'Migration20261129232100RepeatContendedMeasurements';

  override up(): void | Promise<void> {
    this.addSql(`alter table "run" add "automatic" boolean not null default false;`);
  }
}
