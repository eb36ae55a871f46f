// For: what a run writes when it starts, scores, fails or ends.
export type { RunLog } from '../runs/run.repository.js';
export { settleModels } from './model-states.js';
export {
  abandonRun,
  answeredEvaluations,
  failEvaluation,
  failRun,
  finishRun,
  interruptRun,
  LARGEST_ATTEMPTS,
  leaveOut,
  missingEvaluations,
  platformFailure,
  postponeRun,
  recordAdmission,
  recordAnswers,
  recordRefusal,
  recordStart,
  releaseRun,
  retryRun,
  startEvaluation,
} from './run-outcome.js';
