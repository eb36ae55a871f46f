import { Migration } from '@mikro-orm/migrations';

export class Migration20261129150000StoreSignedResults extends Migration {
  override name = 'Migration20261129150000StoreSignedResults';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "signing_key" ("key_id" varchar(16) not null, "public_key" text not null, "created_at" timestamptz not null default now(), "retired_at" timestamptz null, primary key ("key_id"));`,
    );
    this.addSql(
      `create table "signed_result" ("model_id" uuid not null, "result" text not null, "signature" text not null, "key_id" varchar(16) not null, "signed_at" timestamptz not null, primary key ("model_id"));`,
    );
    this.addSql(
      `alter table "signed_result" add constraint "signed_result_model_id_foreign" foreign key ("model_id") references "model" ("id") on update cascade on delete cascade;`,
    );
  }
}
