import { defineEntity, p } from '@mikro-orm/core';

const ROLES = ['evaluator', 'worker'] as const;
export type ProcessRole = (typeof ROLES)[number];

export const ProcessPresenceSchema = defineEntity({
  name: 'ProcessPresence',
  tableName: 'evaluator_presence',
  properties: {
    /**
     * Stays the same when the process restarts, and differs between processes that run at the same
     * time.
     */
    name: p.string().length(100).primary(),
    role: p.enum(ROLES).default('evaluator').$type<ProcessRole>(),
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
 * The heartbeat of an evaluator or a worker, which it also sends while it holds no lease. Times are
 * those of the database.
 */
export class ProcessPresence extends ProcessPresenceSchema.class {}
ProcessPresenceSchema.setClass(ProcessPresence);
