// For: summaries of boards: the leading models and the saturation of a task.
export { type BoardStanding, BoardSummary } from './board-summary.js';
export { BoardSummaryRepository } from './board-summary.repository.js';
export { datasetCurve, humanEstimate, overallCurve } from './saturation-curve.js';
