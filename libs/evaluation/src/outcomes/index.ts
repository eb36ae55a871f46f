// For: what a run writes when it starts, scores, fails or ends.
export type { RunLog } from '../runs/run.repository.js';
export { settleModels } from './model-states.js';
export {
  abandonRun,
  failEvaluation,
  failRun,
  finishRun,
  LARGEST_ATTEMPTS,
  leaveOut,
  missingEvaluations,
  platformFailure,
  postponeRun,
  recordAdmission,
  recordRefusal,
  recordScore,
  recordStart,
  releaseRun,
  retryRun,
  scoredEvaluations,
  startEvaluation,
} from './run-outcome.js';
