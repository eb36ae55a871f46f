import { Migration } from '@mikro-orm/migrations';

export class Migration20261129220000AllowForeignEvaluators extends Migration {
  override name = 'Migration20261129220000AllowForeignEvaluators';

  override up(): void | Promise<void> {
    this.addSql(`alter table "model" add "allow_foreign_evaluators" boolean not null default false;`);
  }
}
