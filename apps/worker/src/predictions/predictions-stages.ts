import { abandonRun } from '@assay/evaluation/outcomes';
import { readingSeconds, type RunStages, withinDeadline } from '@assay/evaluation/execution';
import { type PredictionsParts, predictionsAdmission } from './predictions-admission.js';
import { predictionsRun } from './predictions-run.js';

/** Returns the work of each stage of a predictions file. */
export const predictionsStages = (parts: PredictionsParts): RunStages => ({
  admission: withinDeadline(predictionsAdmission(parts), readingSeconds),
  evaluation: predictionsRun(parts),
  // a predictions file has no costs
  measures: (lease) => abandonRun(lease),
});
