import { PERTURBATION_METRICS } from '@assay/contracts/metrics';
import { taskMetrics, taskPerturbations, type TaskDefinition } from '@assay/contracts/tasks';
import { BOARD_VERSION, SCORING_VERSION } from '@assay/scoring';
import { metricsFor } from '@assay/scoring/metrics';
import type { BenchmarkVersion } from './benchmark-version.js';

/** The name of `SCORING_VERSION` among the versions of metrics. */
export const INTERVALS = 'intervals';

/** The name of `BOARD_VERSION` among the versions of metrics. */
export const BOARD = 'board';

type Versions = BenchmarkVersion['metricVersions'];

/** Returns the current versions of everything that figures of the task are computed by. */
export function currentVersions({ output }: Pick<TaskDefinition, 'output'>): Versions {
  return {
    ...Object.fromEntries(metricsFor(output.type).map(({ name, version }) => [name, version])),
    ...Object.fromEntries(Object.entries(PERTURBATION_METRICS).map(([name, { version }]) => [name, version])),
    [INTERVALS]: SCORING_VERSION,
    [BOARD]: BOARD_VERSION,
  };
}

/** A definition whose version differs. */
export interface ChangedVersion {
  /** A metric, `intervals` or `board`. */
  readonly name: string;
  readonly before: number;
  readonly after: number;
}

/**
 * Returns the definitions with different versions, among those that the figures of a benchmark
 * version are computed by. A definition that was not recorded has version 1.
 */
export function changedVersions(
  definition: BenchmarkVersion['definition'],
  { before, after }: { readonly before: Versions; readonly after: Versions },
): readonly ChangedVersion[] {
  return namesIn(definition).flatMap((name) => {
    const [old, now] = [before[name] ?? 1, after[name] ?? 1];
    return old === now ? [] : [{ name, before: old, after: now }];
  });
}

function namesIn(definition: BenchmarkVersion['definition']): readonly string[] {
  const kinds = taskPerturbations(definition);
  const perturbed = Object.keys(PERTURBATION_METRICS).filter((name) =>
    kinds.some((kind) => name === kind || name.startsWith(`${kind}_`)),
  );
  return [...taskMetrics(definition), ...perturbed, INTERVALS, BOARD];
}
