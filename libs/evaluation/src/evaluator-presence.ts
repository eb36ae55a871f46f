import { defineEntity, p } from '@mikro-orm/core';

export const EvaluatorPresenceSchema = defineEntity({
  name: 'EvaluatorPresence',
  properties: {
    /**
     * Stays the same when the evaluator restarts, and differs between evaluators that run at the
     * same time.
     */
    name: p.string().length(100).primary(),
    startedAt: p.datetime().defaultRaw('now()'),
    seenAt: p.datetime().defaultRaw('now()'),
    /**
     * Names of the required services that do not respond. The evaluator cannot work while there are
     * any.
     */
    problems: p.json<readonly string[]>().defaultRaw(`'[]'`),
  },
});

/**
 * The heartbeat of an evaluator, which it also sends while it holds no lease. Times are those of
 * the database.
 */
export class EvaluatorPresence extends EvaluatorPresenceSchema.class {}
EvaluatorPresenceSchema.setClass(EvaluatorPresence);
