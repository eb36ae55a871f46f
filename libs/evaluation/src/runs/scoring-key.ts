import { createHash } from 'node:crypto';
import { sliceFields, taskMetrics, type TaskDefinition } from '@assay/contracts/tasks';
import { canonicalJson } from '@assay/kernel';
import { metricsFor } from '@assay/scoring/metrics';
import type { DatasetVersion } from '@assay/tasks/datasets';

/**
 * Increase it when the same predictions would get other figures although no metric version changes,
 * for example other intervals, other random draws or other slice figures. All evaluations are then
 * rescored.
 */
const SCORING_VERSION = 1;

/** The part of a task definition that affects scores. */
export type ScoredDefinition = Pick<TaskDefinition, 'performance' | 'metrics' | 'slices' | 'cluster' | 'output'>;

/**
 * Returns the sha256 of the canonical JSON of everything, besides its predictions, that the scores
 * of an evaluation depend on. An evaluation with another key must be rescored from its stored
 * predictions.
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
    // the validation counts decide which transforms rank
    transforms: version.transforms ?? null,
  };
  return createHash('sha256').update(canonicalJson(content)).digest('hex');
}
