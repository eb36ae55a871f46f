import { createHash } from 'node:crypto';
import { PERTURBATION_METRICS } from '@assay/contracts/metrics';
import { sliceFields, taskMetrics, type TaskDefinition } from '@assay/contracts/tasks';
import { canonicalJson } from '@assay/kernel';
import { SCORING_VERSION } from '@assay/scoring';
import { metricsFor } from '@assay/scoring/metrics';
import { comparedTexts } from '@assay/tasks/benchmarks';
import type { DatasetVersion } from '@assay/tasks/datasets';

/** The part of a task definition that affects scores. */
export type ScoredDefinition = Pick<
  TaskDefinition,
  'performance' | 'metrics' | 'slices' | 'cluster' | 'output' | 'language' | 'normalise'
>;

/**
 * Returns the sha256 of the canonical JSON of everything, besides its predictions, that the scores
 * of an evaluation depend on. An evaluation with another key must be rescored from its stored
 * predictions.
 */
export function scoringKey(
  definition: ScoredDefinition,
  version: Pick<DatasetVersion, 'digest' | 'transforms'>,
): string {
  const content = {
    ...scoredBy(definition),
    dataset: version.digest,
    // the validation counts decide which transforms rank
    transforms: version.transforms ?? null,
  };
  return createHash('sha256').update(canonicalJson(content)).digest('hex');
}

/** Returns whether the same predictions get the same scores under both definitions. */
export const scoresAlike = (one: ScoredDefinition, other: ScoredDefinition): boolean =>
  canonicalJson(scoredBy(one)) === canonicalJson(scoredBy(other));

function scoredBy(definition: ScoredDefinition) {
  const { performance, output, cluster = null } = definition;
  const metrics = taskMetrics(definition);
  const versions = new Map(metricsFor(output.type).map((metric) => [metric.name, metric.version]));
  // version 1 is left out, so that keys from before these metrics had versions stay valid
  const perturbed = Object.entries<{ readonly version: number }>(PERTURBATION_METRICS).filter(
    ([, { version }]) => version !== 1,
  );
  return {
    scoring: SCORING_VERSION,
    performance,
    metrics: Object.fromEntries(metrics.map((name) => [name, versions.get(name) ?? 0])),
    ...(perturbed.length > 0 && {
      perturbed: Object.fromEntries(perturbed.map(([name, { version }]) => [name, version])),
    }),
    slices: sliceFields(definition).toSorted((one, other) => (one.field < other.field ? -1 : 1)),
    cluster,
    output,
    ...comparedTexts(definition),
  };
}
