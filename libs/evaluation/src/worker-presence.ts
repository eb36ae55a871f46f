import { defineEntity, p } from '@mikro-orm/core';

export const WorkerPresenceSchema = defineEntity({
  name: 'WorkerPresence',
  properties: {
    /**
     * Stays the same when the process restarts, and differs between processes that run at the same
     * time.
     */
    name: p.string().length(100).primary(),
    startedAt: p.datetime().defaultRaw('now()'),
    seenAt: p.datetime().defaultRaw('now()'),
    /**
     * Names of the required services that do not respond. The process cannot work while there are
     * any.
     */
    problems: p.json<readonly string[]>().defaultRaw(`'[]'`),
  },
});

/**
 * The heartbeat of a worker, which it also sends while it holds no lease. Times are those of the
 * database.
 */
export class WorkerPresence extends WorkerPresenceSchema.class {}
WorkerPresenceSchema.setClass(WorkerPresence);
