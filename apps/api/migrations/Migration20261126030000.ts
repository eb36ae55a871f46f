import { Migration } from '@mikro-orm/migrations';

export class Migration20261126030000 extends Migration {
  override name = 'Migration20261126030000';

  override up(): void | Promise<void> {
    this.addSql(`alter table "round" add "put_bytes" bigint not null default 0;`);
    this.addSql(`alter table "round" alter column "put_bytes" drop default;`);
    this.addSql(
      `update "round" set "put_bytes" =
         (select coalesce(sum(pg_column_size(content) + pg_column_size(tags) + pg_column_size(metadata)), 0)
            from round_context where round_id = "round".id) +
         (select coalesce(sum(pg_column_size(input) + pg_column_size(explanations) + pg_column_size(extra)), 0)
            from annotation where round_id = "round".id and source = 'attested');`,
    );
  }
}
