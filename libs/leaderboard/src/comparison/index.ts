// For: comparisons of models.
export { answeredRows, AnswersUnreadable } from './answered-rows.js';
export { BoardDifferences } from './board-differences.service.js';
export { ComparisonService } from './comparison.service.js';
export { DatasetDifferences } from './dataset-differences.js';
export type { DifferenceWork } from './difference-computation.js';
export { DifferenceThreads } from './difference-threads.js';
export { ModelSpreads, type PairSpreads } from './model-spreads.service.js';
