import type { TaskDefinition } from '@assay/contracts/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';
import { DatasetStartRepository } from './dataset-start.repository.js';

const DAY = 24 * 3600 * 1000;

/**
 * Returns until when predictions for each dataset of a task may be added to models, by the dataset's
 * ID: `supplements.days` after it came into force, and no longer than the inputs of a hidden dataset
 * can be read. Datasets without a deadline are left out.
 */
export async function supplementsEnd(
  em: EntityManager,
  { id, definition }: { readonly id: string; readonly definition: Pick<TaskDefinition, 'supplements'> },
): Promise<ReadonlyMap<string, Date>> {
  const days = definition.supplements?.days ?? Infinity;
  const starts = await new DatasetStartRepository(em).ofTask(id);
  return new Map(
    starts.flatMap(({ dataset, since, inputsUntil }) => {
      const end = Math.min(since.getTime() + days * DAY, inputsUntil?.getTime() ?? Infinity);
      return end === Infinity ? [] : [[dataset, new Date(end)] as const];
    }),
  );
}
