// For: registered evaluators and their presence.
export {
  EVALUATOR_ONLINE_SECONDS,
  EVALUATOR_PROTOCOLS,
  type EvaluatorHost,
  type EvaluatorPresence,
  EvaluatorReference,
  EvaluatorRegistered,
  EvaluatorRegistration,
  type EvaluatorView,
  MEASURING_PROTOCOL,
  MODEL_ARCHITECTURE,
  OwnEvaluators,
  PresenceReported,
  RegisteredEvaluators,
  RegisterEvaluator,
  ReportPresence,
  type RunningWork,
} from './evaluator.js';
