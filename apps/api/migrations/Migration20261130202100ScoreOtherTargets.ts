import { Migration } from '@mikro-orm/migrations';

/** Adds to evaluations the figures on the examples that were written against other models. */
export class Migration20261130202100ScoreOtherTargets extends Migration {
  override name = 'Migration20261130202100ScoreOtherTargets';

  override up(): void | Promise<void> {
    this.addSql(`alter table "evaluation" add "rest" jsonb null;`);
  }
}
