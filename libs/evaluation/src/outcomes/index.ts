// For: what a run writes when it starts, scores, fails or ends.
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
  type RunLog,
  scoredEvaluations,
  startEvaluation,
} from './run-outcome.js';
