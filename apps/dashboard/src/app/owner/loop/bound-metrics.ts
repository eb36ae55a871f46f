import type { Task } from '@assay/api-client/angular';
import { MEASURES } from '@assay/scoring/metrics';

/**
 * Returns the metrics that a loop policy can bound: every metric and cost that the board can weigh.
 */
export function boundMetrics(
  task: Pick<Task, 'performance' | 'metrics' | 'slices' | 'perturbations'>,
): readonly string[] {
  const kinds = (['fairness', 'robustness'] as const).filter((kind) => task.perturbations?.[kind] !== undefined);
  const fields = (task.slices ?? []).map((slicing) => (typeof slicing === 'string' ? slicing : slicing.field));
  return [
    ...new Set([
      task.performance,
      ...(task.metrics ?? []),
      ...kinds.flatMap((kind) => [kind, `${kind}_stability`]),
      ...fields.flatMap((field) => [`worst:${field}`, `gap:${field}`]),
      ...MEASURES.map(({ name }) => name),
    ]),
  ];
}
