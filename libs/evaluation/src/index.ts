// For: what to evaluate, who may do it now, and the outcome: evaluations, runs, leases, fences.
// Knows: tasks, submissions, and PostgreSQL as the source of truth for every state.
// Must not know: sandboxes, containers, what a board is.
export { EvaluationModule } from './evaluation.module.js';
export { Heartbeat } from './heartbeat.js';
export { MODEL_CHANNEL, type ModelEventMessage, notifyModels } from './model-events.js';
export { OutboxDispatcher } from './outbox-dispatcher.js';
export { Reconciler } from './reconciler.js';
export { WorkStatisticsRepository } from './work-statistics.repository.js';
export { WorkerPresence } from './worker-presence.js';
export { WorkerPresenceRepository } from './worker-presence.repository.js';
