import type { TaskDefinition } from '@assay/contracts/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';
import { DatasetStartRepository } from './dataset-start.repository.js';

const DAY = 24 * 3600 * 1000;

/**
 * Returns until when predictions for each dataset of a task may be added to models, by the dataset's
 * ID: `supplements.days` after it came into force. Empty if the task sets no deadline.
 */
export async function supplementsEnd(
  em: EntityManager,
  { id, definition }: { readonly id: string; readonly definition: Pick<TaskDefinition, 'supplements'> },
): Promise<ReadonlyMap<string, Date>> {
  if (!definition.supplements) return new Map();
  const { days } = definition.supplements;
  const starts = await new DatasetStartRepository(em).ofTask(id);
  return new Map(starts.map(({ dataset, since }) => [dataset, new Date(since.getTime() + days * DAY)]));
}
