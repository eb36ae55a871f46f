// For: evaluations: requests, scores, measurements, scoring again, what may be read of them.
export { activeDatasetVersions } from './active-datasets.js';
export { type ActivationCost, ActivationCostRepository } from './activation-cost.repository.js';
export { archiveArtifact, removeArchived } from './archive.js';
export { requestForAllModels } from './benchmark-requests.js';
export { EvaluationRequests } from './evaluation-requests.js';
export { Evaluation, EVALUATION_TRANSITIONS } from './evaluation.js';
export { type ComputedScore, EvaluationRepository, type EvaluationScore } from './evaluation.repository.js';
export { Measurement } from './measurement.js';
export {
  awaitsScores,
  countStale,
  enqueueScores,
  failRescore,
  forgetPredictions,
  recordRescore,
  staleEvaluation,
  staleEvaluations,
} from './rescoring.js';
export { mayReadOutput, sawOnlyReadable } from './seen-data.js';
