// For: registered evaluators: who registered them, their tokens, and what they report.
export { Evaluator, EVALUATOR_TRANSITIONS, LEASE_PREFIX, leaseOwnerOf } from './evaluator.js';
export {
  EvaluatorRepository,
  type ListedEvaluator,
  type ListedRemoval,
  type LiveConnection,
  type TokenHolder,
} from './evaluator.repository.js';
export { EvaluatorTokens, isEvaluatorToken, newEvaluatorToken } from './evaluator-tokens.js';
export { evaluatorsPersonalData } from './personal-data.js';
