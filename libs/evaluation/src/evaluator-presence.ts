import { defineEntity, p } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';

const EvaluatorPresenceSchema = defineEntity({
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

/** Records that the evaluator has just started. */
export async function evaluatorStarted(em: EntityManager, name: string): Promise<void> {
  await em.execute(
    `insert into evaluator_presence (name) values (?)
      on conflict (name) do update set started_at = now(), seen_at = now(), problems = '[]'`,
    [name],
  );
}

/**
 * Records that the evaluator is alive, with the services that do not respond to it. Does not bring
 * back the row of an evaluator that has just shut down.
 */
export async function evaluatorSeen(em: EntityManager, name: string, problems: readonly string[] = []): Promise<void> {
  await em.execute('update evaluator_presence set seen_at = now(), problems = ?::jsonb where name = ?', [
    JSON.stringify(problems),
    name,
  ]);
}

/** Removes the row of an evaluator that shuts down in an orderly way. */
export async function evaluatorEnded(em: EntityManager, name: string): Promise<void> {
  await em.execute('delete from evaluator_presence where name = ?', [name]);
}
