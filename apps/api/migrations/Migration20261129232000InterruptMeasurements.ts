import { Migration } from '@mikro-orm/migrations';

export class Migration20261129232000InterruptMeasurements extends Migration {
  override name = 'Migration20261129232000InterruptMeasurements';

  override up(): void | Promise<void> {
    this.addSql(`alter table "run" add "interruptions" int not null default 0;`);
  }
}
