import { preparedRows, Repository } from '@assay/persistence/queries';

/** A dataset with the time when it came into force. */
interface DatasetStart {
  /** The ID of the dataset. */
  readonly dataset: string;
  readonly since: Date;
  /** Until when listed submitters may read its inputs. Null if it is not hidden, or was never shared. */
  readonly inputsUntil: Date | null;
}

/** When datasets came into force: with the first benchmark version that has a version of them. */
export class DatasetStartRepository extends Repository {
  /** Returns the datasets of a task that are or were in force, in no order. */
  async ofTask(task: string): Promise<readonly DatasetStart[]> {
    const rows = await preparedRows<{ dataset: string; since: string | Date; inputsUntil: string | Date | null }>(
      this.em,
      `select d.id as dataset, min(b.created_at) as since,
          case when d.visibility = 'hidden' then d.inputs_until end as "inputsUntil"
         from benchmark_version b cross join lateral jsonb_array_elements_text(b.datasets) as active (id)
         join dataset_version v on v.id = active.id::uuid join dataset d on d.id = v.dataset_id
        where b.task_id = $1 group by d.id`,
      [task],
    );
    return rows.map(({ dataset, since, inputsUntil }) => ({
      dataset,
      since: new Date(since),
      inputsUntil: inputsUntil === null ? null : new Date(inputsUntil),
    }));
  }
}
