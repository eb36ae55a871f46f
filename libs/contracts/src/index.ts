// For: what crosses a boundary (HTTP, jobs, environment, a model's answers, files), as schemas with their types.
// Knows: shapes, names, units, and the fixed lists of them.
// Must not know: how anything is stored, computed or served.
export * from './administration.js';
export * from './annotating.js';
export * from './answer.js';
export * from './answered-example.js';
export * from './benchmark-version.js';
export * from './collection.js';
export * from './collection-numbers.js';
export * from './compare.js';
export * from './crowds.js';
export * from './dataset.js';
export * from './environment.js';
export * from './failure.js';
export * from './health.js';
export * from './history.js';
export * from './identity.js';
export * from './job.js';
export * from './leaderboard.js';
export * from './metric.js';
export * from './model.js';
export * from './notification.js';
export * from './origin.js';
export * from './people.js';
export * from './placement.js';
export * from './problem.js';
export * from './release.js';
export * from './result-bundle.js';
export * from './round.js';
export * from './saved-board.js';
export * from './quantity.js';
export * from './search.js';
export * from './shown-number.js';
export * from './table-format.js';
export * from './task.js';
export * from './validating.js';
export * from './webhook.js';
