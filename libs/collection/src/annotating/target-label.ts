import type { Rng } from '@assay/kernel';
import type { Task } from '@assay/tasks';
import { collectionOf } from '../people/eligibility.js';

/**
 * Draws the label that an annotator writes for: a random one among those shown least often. Null if
 * the task shows none.
 */
export function drawTargetLabel(task: Task, rng: Rng, shown: ReadonlyMap<string, number>): string | null {
  const { output } = task.definition;
  if (collectionOf(task).goal !== 'shown' || output.type !== 'label') return null;
  const counts = output.labels.map((label) => shown.get(label) ?? 0);
  const fewest = Math.min(...counts);
  const candidates = output.labels.filter((_, index) => counts[index] === fewest);
  return candidates[rng.below(candidates.length)] ?? null;
}
