import { Migration } from '@mikro-orm/migrations';

/**
 * Writes the earlier default runtime into the definitions that have none, because the service decides the
 * runtime of new tasks. Models of existing tasks run as before.
 */
export class Migration20261130061000KeepRuntimes extends Migration {
  override name = 'Migration20261130061000KeepRuntimes';

  override up(): void | Promise<void> {
    this.addSql(
      `update "task" set "definition" = jsonb_set("definition", '{runtime}', '"runc"') where "definition" -> 'runtime' is null;`,
    );
  }
}
