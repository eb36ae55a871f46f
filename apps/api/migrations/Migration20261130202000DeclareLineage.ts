import { Migration } from '@mikro-orm/migrations';

/** Adds to models the models that they descend from, as their owners declare. */
export class Migration20261130202000DeclareLineage extends Migration {
  override name = 'Migration20261130202000DeclareLineage';

  override up(): void | Promise<void> {
    this.addSql(`alter table "model" add "derived_from" jsonb not null default '[]';`);
  }
}
