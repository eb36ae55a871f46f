import { Migration } from '@mikro-orm/migrations';

export class Migration20261127070000RecordFirstScores extends Migration {
  override name = 'Migration20261127070000RecordFirstScores';

  override up(): void | Promise<void> {
    this.addSql(`alter table "model" add "first_scored_at" timestamptz null;`);
    this.addSql(
      `update "model" set "first_scored_at" = scored.at
         from (select e.specification_id, d.task_id, coalesce(min(e.finished_at), now()) as at
                 from evaluation e join dataset_version v on v.id = e.dataset_version_id join dataset d on d.id = v.dataset_id
                where e.state = 'scored' group by e.specification_id, d.task_id) scored
        where scored.specification_id = "model".specification_id and scored.task_id = "model".task_id;`,
    );
  }
}
