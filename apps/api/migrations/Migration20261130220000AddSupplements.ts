import { Migration } from '@mikro-orm/migrations';

/** Stores the files of predictions that are added to a model for datasets that came later. */
export class Migration20261130220000AddSupplements extends Migration {
  override name = 'Migration20261130220000AddSupplements';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "supplement" ("id" uuid not null, "specification_id" uuid not null, "digest" varchar(64) not null, "size" bigint not null, "state" text not null default 'received', "failure" jsonb null, "archived_at" timestamptz null, "created_at" timestamptz not null, primary key ("id"), constraint "supplement_state_check" check ("state" in ('received', 'accepted', 'refused')));`,
    );
    this.addSql(
      `alter table "supplement" add constraint "supplement_specification_id_digest_unique" unique ("specification_id", "digest");`,
    );
    this.addSql(
      `alter table "supplement" add constraint "supplement_specification_id_foreign" foreign key ("specification_id") references "run_specification" ("id");`,
    );
  }
}
