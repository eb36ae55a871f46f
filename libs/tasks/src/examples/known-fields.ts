import { sliceFields, type TaskDefinition } from '@assay/contracts/tasks';
import { DomainError } from '@assay/kernel';
import type { EntityManager } from '@mikro-orm/postgresql';
import { DatasetVersion } from '../datasets/dataset.js';
import { MOST_FIELDS } from '../datasets/dataset-intake.js';
import type { Task } from '../task.js';

/**
 * Checks that some example of the task has each field that `definition` newly slices, matches or
 * clusters by. Does nothing if the task has no dataset yet, or a dataset whose fields are not all
 * known.
 * @throws DomainError `unknown_slice_field`, naming the field
 */
export async function checkFields(em: EntityManager, task: Task, definition: TaskDefinition): Promise<void> {
  const before = new Set(fieldsOf(task.definition));
  const added = fieldsOf(definition).filter((field) => !before.has(field));
  if (added.length === 0) return;

  const known = await knownFields(em, task);
  const unknown = known && added.find((field) => !known.has(field));
  if (!known || unknown === undefined || unknown === null) return;
  const sentence = `No example of "${task.slug}" has a field "${unknown}". Fields: ${[...known].sort().join(', ')}.`;
  throw new DomainError('invalid', 'unknown_slice_field', sentence, [
    { path: definition.cluster === unknown ? 'cluster' : 'slices', message: `no example has a field "${unknown}"` },
  ]);
}

const fieldsOf = (definition: Pick<TaskDefinition, 'slices' | 'cluster'>): readonly string[] => [
  ...sliceFields(definition).flatMap(({ field, match }) => (match === undefined ? [field] : [field, match])),
  ...(definition.cluster === undefined ? [] : [definition.cluster]),
];

/** Returns the field names of the task's datasets, or null if they are not all known. */
async function knownFields(em: EntityManager, task: Task): Promise<ReadonlySet<string> | null> {
  const versions = await em.find(DatasetVersion, {
    dataset: { task, perturbation: null },
    status: ['active', 'proposed'],
  });
  const areKnown = versions.every(({ fields }) => fields && fields.length < MOST_FIELDS);
  if (versions.length === 0 || !areKnown) return null;
  return new Set(versions.flatMap(({ fields }) => fields!));
}
