// For: registered evaluators and their presence.
export {
  EVALUATOR_ONLINE_SECONDS,
  EVALUATOR_PROTOCOLS,
  type EvaluatorHost,
  type EvaluatorPresence,
  EvaluatorRegistered,
  EvaluatorRegistration,
  type EvaluatorView,
  MEASURING_PROTOCOL,
  PresenceReported,
  RegisteredEvaluators,
  RegisterEvaluator,
  ReportPresence,
} from './evaluator.js';
