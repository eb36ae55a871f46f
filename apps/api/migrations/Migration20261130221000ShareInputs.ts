import { Migration } from '@mikro-orm/migrations';

/** Stores until when the submitters of a task may read the inputs of a hidden dataset. */
export class Migration20261130221000ShareInputs extends Migration {
  override name = 'Migration20261130221000ShareInputs';

  override up(): void | Promise<void> {
    this.addSql(`alter table "dataset" add column "inputs_until" timestamptz null;`);
  }
}
