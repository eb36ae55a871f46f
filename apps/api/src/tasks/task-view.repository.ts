import type { TaskDefinition, TaskView } from '@assay/contracts/tasks';
import { DomainError } from '@assay/kernel';
import { batchedReads, preparedRows } from '@assay/persistence/queries';
import type { Task } from '@assay/tasks';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { datasetSummary } from '../datasets/dataset-summary.js';

type ShownVersion = Parameters<typeof datasetSummary>[0];
type ShownDataset = ShownVersion['dataset'];

interface TaskRow {
  readonly definition: TaskDefinition;
  readonly owner: string;
  readonly created_at: string;
  readonly benchmark_version: number;
  readonly rounds: TaskView['rounds'];
  /** The dataset versions as in JSON, with dates as texts. */
  readonly versions: readonly (Omit<ShownVersion, 'dataset'> & {
    readonly dataset: Omit<ShownDataset, 'publicSince' | 'inputsUntil'> &
      Readonly<Record<'publicSince' | 'inputsUntil', string | null>>;
  })[];
}

/**
 * Tasks as they are shown. Reads them by a single query and without entities, because they are read
 * often.
 */
@Injectable()
export class TaskViewRepository {
  private readonly bySlug = batchedReads(async (slugs) => {
    const views = await read(this.em.fork(), 't.slug = any($1)', [slugs]);
    return new Map(views.map((view) => [view.slug, view]));
  });

  constructor(private readonly em: EntityManager) {}

  /** @throws DomainError `not_found` */
  async get(slug: string): Promise<TaskView> {
    const view = await this.bySlug(slug);
    if (!view) throw DomainError.notFound('task');
    return view;
  }

  /** Returns all tasks, oldest first. */
  all(): Promise<readonly TaskView[]> {
    return read(this.em, 'true', []);
  }

  /** Returns a task as the caller's transaction has left it. */
  async of(task: Task): Promise<TaskView> {
    await this.em.flush();
    const [view] = await read(this.em, 't.id = $1', [task.id]);
    return view!;
  }
}

async function read(em: EntityManager, where: string, values: readonly unknown[]): Promise<readonly TaskView[]> {
  const rows = await preparedRows<TaskRow>(
    em,
    `select t.definition, u.username as owner, t.created_at,
        (select coalesce(max(number), 0) from benchmark_version where task_id = t.id) as benchmark_version,
        (select coalesce(json_agg(json_build_object('number', number, 'state', state, 'imported', imported) order by number), '[]')
          from round where task_id = t.id) as rounds,
        (select coalesce(json_agg(json_build_object(
            'number', v.number, 'digest', v.digest, 'salt', v.salt, 'commitment', v.commitment, 'examples', v.examples, 'status', v.status,
            'human', v.human,
            'dataset', json_build_object('name', d.name, 'role', d.role, 'round', d.round, 'use', d.use,
              'visibility', d.visibility, 'against', d.against, 'publicSince', d.public_since, 'inputsUntil', d.inputs_until)
          ) order by d.created_at, v.number), '[]')
          from dataset_version v join dataset d on d.id = v.dataset_id
          where d.task_id = t.id and d.perturbation is null and v.status in ('active', 'proposed')) as versions
       from task t join user_account u on u.id = t.owner_id where ${where} order by t.created_at, t.id`,
    values,
  );
  return rows.map(viewOf);
}

const viewOf = (row: TaskRow): TaskView => ({
  ...row.definition,
  owner: row.owner,
  createdAt: new Date(row.created_at).toISOString(),
  benchmarkVersion: row.benchmark_version,
  rounds: row.rounds,
  datasets: row.versions.map((version) => datasetSummary({ ...version, dataset: datasetOf(version.dataset) })),
});

const datasetOf = (dataset: TaskRow['versions'][number]['dataset']): ShownDataset => ({
  ...dataset,
  publicSince: dataset.publicSince === null ? null : new Date(dataset.publicSince),
  inputsUntil: dataset.inputsUntil === null ? null : new Date(dataset.inputsUntil),
});
