import type { Failure } from '@assay/contracts/models';
import { abandonRun, failRun } from '@assay/evaluation/outcomes';
import { type RunStages } from '@assay/evaluation/execution';
import { readingSeconds, withinDeadline } from '@assay/storage/bytes';
import { type PredictionsParts, predictionsAdmission } from './predictions-admission.js';
import { predictionsRun } from './predictions-run.js';

/** Returns the work of each stage of a predictions file. */
export function predictionsStages(parts: PredictionsParts): RunStages {
  const admit = predictionsAdmission(parts);
  return {
    admission: (lease, material, signal) => {
      const { artifact, definition } = material;
      const seconds = readingSeconds(Math.max(artifact.size, definition.limits.unpacked));
      const deadline = { seconds, signal, fail: (why: Failure) => failRun(lease, why) };
      return withinDeadline(deadline, (inTime) => admit(lease, material, inTime));
    },
    evaluation: predictionsRun(parts),
    // a predictions file has no costs
    measures: (lease) => abandonRun(lease),
  };
}
