// For: schemas and types of the data at boundaries (HTTP, jobs, environment, model answers, files).
// Knows: shapes, names, units, and the fixed lists of them; those of metrics come from libs/scoring.
// Must not know: how anything is stored, computed or served.
export { type Answer, type AnswerRules, labelDiffers, LARGEST_NUMBER, parseAnswer, predictionOf } from './answer.js';
export { Environment, isLoopback, readEnvironment } from './environment.js';
export { Origin, REQUEST_ID } from './origin.js';
export { codeOfIssues, ProblemDetails, problemsOf, problemsText, statusOfRefusal } from './problem.js';
export { SearchQuery, SearchResults } from './search.js';
