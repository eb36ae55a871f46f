// For: evaluations: requests, scores, measurements, scoring again, what may be read of them.
export { activeDatasetVersions } from './active-datasets.js';
export { type ActivationCost, ActivationCostRepository } from './activation-cost.repository.js';
export { archiveArtifact, removeArchived } from './archive.js';
export { EvaluationRequests, requestForAllModels } from './evaluation-requests.js';
export { Evaluation, EVALUATION_TRANSITIONS, evaluationBlobs } from './evaluation.js';
export { type ComputedScore, EvaluationRepository, type StoredAnswers } from './evaluation.repository.js';
export { Measurement } from './measurement.js';
export { ownEvaluatorsSql } from './own-evaluators.js';
export {
  awaitsScores,
  countStale,
  enqueueScores,
  failScore,
  forgetPredictions,
  recordScore,
  staleEvaluation,
  staleEvaluations,
} from './scores.js';
export { mayReadOutput, sawOnlyReadable } from './seen-data.js';
