import { createHash } from 'node:crypto';
import { sliceFields, taskMetrics, type TaskDefinition } from '@assay/contracts';
import { canonicalJson } from '@assay/kernel';
import { metricsFor } from '@assay/scoring';
import type { DatasetVersion } from '@assay/tasks';

/**
 * Raised whenever the same predictions would get other figures although no metric's own version says so: other intervals, other draws,
 * other figures of slices. All evaluations are then scored anew.
 */
export const SCORING_VERSION = 1;

/** The part of a task's definition that decides scores. */
export type ScoredDefinition = Pick<TaskDefinition, 'performance' | 'metrics' | 'slices' | 'cluster' | 'output'>;

/**
 * sha256 of the canonical JSON of all that an evaluation's scores depend on besides its predictions. An evaluation that has another key is
 * to be computed anew from its stored predictions.
 */
export function scoringKey(
  definition: ScoredDefinition,
  version: Pick<DatasetVersion, 'digest' | 'transforms'>,
): string {
  const { performance, output, cluster = null } = definition;
  const metrics = taskMetrics(definition);
  const versions = new Map(metricsFor(output.type).map((metric) => [metric.name, metric.version]));
  const content = {
    scoring: SCORING_VERSION,
    performance,
    metrics: Object.fromEntries(metrics.map((name) => [name, versions.get(name) ?? 0])),
    slices: sliceFields(definition).toSorted((one, other) => (one.field < other.field ? -1 : 1)),
    cluster,
    output,
    dataset: version.digest,
    // their validations decide which of them rank
    transforms: version.transforms ?? null,
  };
  return createHash('sha256').update(canonicalJson(content)).digest('hex');
}
