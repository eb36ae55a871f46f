import { Migration } from '@mikro-orm/migrations';

/**
 * Adds to datasets whether they are a round that was collected here, whose examples are clustered by
 * annotator and context: those that closing a round made, and those of its examples so far.
 */
export class Migration20261130203000NameCollectedDatasets extends Migration {
  override name = 'Migration20261130203000NameCollectedDatasets';

  override up(): void | Promise<void> {
    this.addSql(`alter table "dataset" add "collected" boolean not null default false;`);
    this.addSql(`update dataset d set collected = true from round r
      where r.task_id = d.task_id and r.number = d.round and not r.imported
        and (d.name = 'r' || r.number || '-so-far'
          or exists (select 1 from round_release e where e.round_id = r.id and e.dataset = d.name));`);
  }
}
