// For: scoring the answers to a dataset version.
export { DatasetScore } from './dataset-score.js';
export { type Answered, originalAnswers } from './original-answers.js';
export { ScoreComputation, scoreComputation } from './score-computation.js';
export { isUnreadable, unreadableDataset } from './unreadable-dataset.js';
