import { Migration } from '@mikro-orm/migrations';

/** Evaluators of users that answered or measured before are not known: a lease was forgotten when it ended. */
export class Migration20261130060000RecordEvaluators extends Migration {
  override name = 'Migration20261130060000RecordEvaluators';

  override up(): void | Promise<void> {
    for (const table of ['evaluation', 'measurement']) {
      this.addSql(`alter table "${table}" add "evaluator_id" uuid null;`);
      this.addSql(
        `alter table "${table}" add constraint "${table}_evaluator_id_foreign" foreign key ("evaluator_id") references "evaluator" ("id") on delete set null;`,
      );
      this.addSql(
        `create index "${table}_own_evaluator" on "${table}" ("evaluator_id") where "evaluator_id" is not null;`,
      );
    }
  }
}
