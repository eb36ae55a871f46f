import { preparedRows, Repository } from '@assay/persistence/queries';

/** A dataset with the time when it came into force. */
interface DatasetStart {
  /** The ID of the dataset. */
  readonly dataset: string;
  readonly since: Date;
}

/** When datasets came into force: with the first benchmark version that has a version of them. */
export class DatasetStartRepository extends Repository {
  /** Returns the datasets of a task that are or were in force, in no order. */
  async ofTask(task: string): Promise<readonly DatasetStart[]> {
    const rows = await preparedRows<{ dataset: string; since: string | Date }>(
      this.em,
      `select v.dataset_id as dataset, min(b.created_at) as since
         from benchmark_version b cross join lateral jsonb_array_elements_text(b.datasets) as active (id)
         join dataset_version v on v.id = active.id::uuid where b.task_id = $1 group by 1`,
      [task],
    );
    return rows.map(({ dataset, since }) => ({ dataset, since: new Date(since) }));
  }
}
