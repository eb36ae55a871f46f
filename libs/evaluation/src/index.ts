// For: what to evaluate, who may do it now, and the outcome: evaluations, runs, leases, fences.
// Knows: tasks, submissions, and PostgreSQL as the source of truth for every state.
// Must not know: sandboxes, containers, how a metric is computed, what a board is.
export { type ActivationCost, ActivationCostRepository } from './activation-cost.repository.js';
export { archiveArtifact, removeArchived } from './archive.js';
export { requestForAllModels } from './benchmark-requests.js';
export { evaluationBlobs } from './blob-references.js';
export { evaluationEntities } from './entities.js';
export { EvaluationRequests } from './evaluation-requests.js';
export { Evaluation, EVALUATION_TRANSITIONS } from './evaluation.js';
export { EvaluationModule } from './evaluation.module.js';
export { type ComputedScore, EvaluationRepository, type EvaluationScore } from './evaluation.repository.js';
export { EvaluatorPresenceRepository } from './evaluator-presence.repository.js';
export { Measurement } from './measurement.js';
export { MODEL_CHANNEL, type ModelEventMessage, notifyModels } from './model-events.js';
export { settleModels } from './model-states.js';
export { OutboxDispatcher } from './outbox-dispatcher.js';
export { Reconciler } from './reconciler.js';
export { refusalFor } from './refusal.js';
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
export { RUN_CHANNEL } from './run-channel.js';
export { LeaseLost, RunLease, RunLeases } from './run-lease.js';
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
export { liveRunJson, type RunProgress, runView } from './run-progress.js';
export { Run, RUN_TRANSITIONS, type RunScope, type RunStage } from './run.js';
export { RunRepository } from './run.repository.js';
export { scoringKey } from './scoring-key.js';
export { mayReadOutput, sawOnlyReadable } from './seen-data.js';
export { WorkStatisticsRepository } from './work-statistics.repository.js';
