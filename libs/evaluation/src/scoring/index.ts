// For: scoring the answers to a dataset version.
export { type Answered, originalAnswers } from './original-answers.js';
export { type AnswersToScore, scoreAnswers, type ScoringResult } from './score-answers.js';
export { ScoreComputation, scoreComputation } from './score-computation.js';
export { isUnreadable, unreadableDataset } from './unreadable-dataset.js';
