// For: models, artifacts, evaluations and their failures.
export { Failure, failure, type FailureCode, FAILURES, isAdmissionFailure, withheldFailure } from './failure.js';
export {
  ArtifactReceived,
  EVALUATION_STATES,
  EvaluationState,
  EvaluationView,
  isFinal,
  Log,
  MODEL_STATES,
  ModelCreated,
  type ModelEvent,
  ModelKind,
  ModelState,
  ModelSummary,
  ModelView,
  MyModels,
  PatchModel,
  Protocol,
  QuotaView,
  RunView,
  SubmitModel,
} from './model.js';
