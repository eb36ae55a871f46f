import { Migration } from '@mikro-orm/migrations';

/**
 * Adds to dataset versions how many of their examples have the inputs of an earlier one. It is counted
 * for versions that are put from now on.
 */
export class Migration20261130171000CountRepeatedInputs extends Migration {
  override name = 'Migration20261130171000CountRepeatedInputs';

  override up(): void | Promise<void> {
    this.addSql(`alter table "dataset_version" add "repeats" int null;`);
  }
}
