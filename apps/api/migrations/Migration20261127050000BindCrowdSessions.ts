import { Migration } from '@mikro-orm/migrations';

export class Migration20261127050000BindCrowdSessions extends Migration {
  override name = 'Migration20261127050000BindCrowdSessions';

  override up(): void | Promise<void> {
    this.addSql(`alter table "crowd_session" add "secret_hash" varchar(64) null;`);
  }
}
