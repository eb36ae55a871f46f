import type { LeasedRunView } from '@assay/contracts/gateway';
import type { RunStages, StageWork } from '@assay/evaluation/execution';
import { DatabaseRun, type ServiceStores } from '@assay/evaluation/gateway';
import { type RunParts, runWork } from '../../../apps/evaluator/src/run/run-work.js';

export type RunStagesParts = RunParts & ServiceStores;

/** Returns the stages of containers and ONNX bundles for runs that are read from the database. */
export function runStages(parts: RunStagesParts): RunStages {
  const work = runWork(parts);
  const onRun =
    (kind: LeasedRunView['work']): StageWork =>
    (lease, material, signal) =>
      work[kind](new DatabaseRun(parts, lease, material, lease.seconds), signal);
  return { admission: onRun('admission'), evaluation: onRun('evaluation'), measures: onRun('measures') };
}
