import { Migration } from '@mikro-orm/migrations';

export class Migration20261129200000ConnectEvaluators extends Migration {
  override name = 'Migration20261129200000ConnectEvaluators';

  override up(): void | Promise<void> {
    this.addSql(
      `alter table "evaluator" add "live_address" varchar(300) null, add "live_secret" varchar(64) null, add "problem" varchar(1000) null;`,
    );
    this.addSql(`alter table "placement" drop column "address", drop column "secret";`);
    // only workers connect to the database
    this.addSql(`delete from "evaluator_presence" where "role" <> 'worker';`);
    this.addSql(`alter table "evaluator_presence" drop column "role";`);
    this.addSql(`alter table "evaluator_presence" rename to "worker_presence";`);
    this.addSql(`alter index "evaluator_presence_pkey" rename to "worker_presence_pkey";`);
  }
}
