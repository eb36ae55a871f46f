import { Migration } from '@mikro-orm/migrations';

export class Migration20261122095000 extends Migration {
  override name = 'Migration20261122095000';

  override up(): void | Promise<void> {
    this.addSql(`alter table "participation" add "trials" int not null default 0, add "trials_on" varchar(10) null;`);
  }
}
