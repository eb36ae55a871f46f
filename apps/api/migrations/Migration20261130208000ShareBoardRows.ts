import { Migration } from '@mikro-orm/migrations';

/**
 * Stores the models of new board revisions as rows that revisions share. Revisions from before keep
 * their models.
 */
export class Migration20261130208000ShareBoardRows extends Migration {
  override name = 'Migration20261130208000ShareBoardRows';

  override up(): void | Promise<void> {
    this.addSql(`create table "board_row" ("digest" bytea not null, "row" jsonb not null, primary key ("digest"));`);
    this.addSql(
      `alter table "board_revision" add column "model_rows" bytea null, add column "exact_model_rows" bytea null, add column "official_ranks" jsonb null;`,
    );
  }
}
