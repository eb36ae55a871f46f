// For: use cases about registered evaluators.
export { RegisterEvaluator } from './register-evaluator.js';
export { RemoveEvaluator } from './remove-evaluator.js';
export { warmUpInstances } from './warm-up-instances.js';
