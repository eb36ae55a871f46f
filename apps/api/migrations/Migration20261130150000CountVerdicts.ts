import { Migration } from '@mikro-orm/migrations';

/** Stores the number of verdicts with each annotation, and indexes the annotations that await validators. */
export class Migration20261130150000CountVerdicts extends Migration {
  override name = 'Migration20261130150000CountVerdicts';

  override up(): void | Promise<void> {
    this.addSql(`alter table "annotation" add "verdict_count" int not null default 0;`);
    this.addSql(
      `update "annotation" set "verdict_count" = counted.verdicts from (
         select "annotation_id", count(*) as verdicts from "validation" where "verdict" is not null and not "by_owner" group by 1
       ) counted where counted."annotation_id" = "annotation"."id";`,
    );
    this.addSql(
      `create index "annotation_to_validate" on "annotation" ("round_id", (case when "is_check" then 'check' when "fooled" then 'fooling' else 'other' end), "verdict_count", right("id"::text, 8)) include ("is_check", "fooled") where "outcome" = 'pending' and "retracted_at" is null and ("is_check" or "answered_at" is not null);`,
    );
  }
}
