// For: handing work to other processes: a queue that notifies workers, on Redis or on PostgreSQL.
// Knows: BullMQ, its two back ends, their outages.
// Must not know: what a job does; the truth about it (that is in the database).
export { BoundedQueue } from './bounded-queue.js';
export { BoundedWorker } from './bounded-worker.js';
export { BullmqJobs } from './bullmq-jobs.js';
export { enqueueEach, enqueueUnlessLive, Jobs, JobsUnavailable, type EnqueueOptions, type QueueState } from './jobs.js';
export { JobsModule } from './jobs.module.js';
export { queueBackend, queueOptions, type QueueBackend } from './queue-backend.js';
export { migrateQueue } from './queue-schema.js';
export { probeQueue, queueStates } from './queue-states.js';
export { limitQueueTimes } from './queue-times.js';
