import { Repository, uuidArray } from '@assay/persistence/queries';
import type { Task } from '@assay/tasks';

/**
 * The versions of the counters of rounds. A version is a digest of the transactions that wrote the
 * counters last. Triggers write them with every change that the statistics of a round depend on, so
 * statistics with the same version are equal.
 */
export class CountVersionRepository extends Repository {
  /** Returns the version of the examples of rounds. */
  examples(rounds: readonly string[]): Promise<string> {
    return this.version('annotator_count', 'round_id, pseudonym, source', rounds);
  }

  /** Returns the version of the validations of a round, and of the definition that says which labels are the same. */
  async agreement(task: Task, round: string): Promise<string> {
    const validations = await this.version('validator_count', 'round_id, pseudonym', [round]);
    return `${validations} ${task.updatedAt.toISOString()}`;
  }

  private async version(table: string, key: string, rounds: readonly string[]): Promise<string> {
    const { version } = await this.row<{ version: string }>(
      `select coalesce(md5(string_agg(concat_ws(' ', ${key}, xmin), ',' order by ${key})), '') as version
       from ${table} where round_id = any(?::uuid[])`,
      [uuidArray(rounds)],
    );
    return version;
  }
}
