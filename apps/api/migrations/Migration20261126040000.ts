import { Migration } from '@mikro-orm/migrations';

export class Migration20261126040000 extends Migration {
  override name = 'Migration20261126040000';

  override up(): void | Promise<void> {
    this.addSql(`alter table "credential" add "parent_id" uuid null;`);
    this.addSql(`create index "credential_parent_id_index" on "credential" ("parent_id");`);
    this.addSql(
      `alter table "credential" add constraint "credential_parent_id_foreign" foreign key ("parent_id") references "credential" ("id") on delete cascade;`,
    );

    this.addSql(`alter table "credential" add "proven_at" timestamptz null;`);
    // at a provider it may have been before the session
    this.addSql(
      `update "credential" set "proven_at" = "created_at" where "kind" = 'session' and "method" in ('password', 'token');`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "credential" drop constraint "credential_parent_id_foreign";`);
    this.addSql(`alter table "credential" drop column "parent_id", drop column "proven_at";`);
  }
}
