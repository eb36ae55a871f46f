// For: what to evaluate, who may do it now, and the outcome: evaluations, runs, leases, fences.
// Knows: tasks, submissions, and PostgreSQL as the source of truth for every state.
// Must not know: sandboxes, containers, how a metric is computed, what a board is.
export * from './evaluation.js';
export * from './evaluator-presence.js';
export * from './measurement.js';
export * from './measurement-summary.js';
export * from './measurements.js';
export * from './run.js';
export * from './active-datasets.js';
export * from './archive.js';
export * from './benchmark-requests.js';
export * from './evaluation-requests.js';
export * from './model-events.js';
export * from './model-fate.js';
export * from './model-states.js';
export * from './outbox-dispatcher.js';
export * from './reconciler.js';
export * from './refusal.js';
export * from './rescoring.js';
export * from './run-channel.js';
export * from './run-lease.js';
export * from './run-outcome.js';
export * from './run-progress.js';
export * from './run-request.js';
export * from './scoring-key.js';
export * from './seen-data.js';
export * from './entities.js';
