import { defineEntity, p } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';

const EvaluatorPresenceSchema = defineEntity({
  name: 'EvaluatorPresence',
  properties: {
    /** A restarted evaluator has the same, and no two that run have. */
    name: p.string().length(100).primary(),
    startedAt: p.datetime().defaultRaw('now()'),
    seenAt: p.datetime().defaultRaw('now()'),
    /** Names of the parts that it needs and that do not answer it: while there are any, it can't work. */
    problems: p.json<readonly string[]>().defaultRaw(`'[]'`),
  },
});

/** That an evaluator is there, also while it holds nothing. By the time of the database. */
export class EvaluatorPresence extends EvaluatorPresenceSchema.class {}
EvaluatorPresenceSchema.setClass(EvaluatorPresence);

/** Says that the evaluator was just started. */
export async function evaluatorStarted(em: EntityManager, name: string): Promise<void> {
  await em.execute(
    `insert into evaluator_presence (name) values (?)
      on conflict (name) do update set started_at = now(), seen_at = now(), problems = '[]'`,
    [name],
  );
}

/** Says that the evaluator is still there, and what does not answer it; one that has just ended does not come back by it. */
export async function evaluatorSeen(em: EntityManager, name: string, problems: readonly string[] = []): Promise<void> {
  await em.execute('update evaluator_presence set seen_at = now(), problems = ?::jsonb where name = ?', [
    JSON.stringify(problems),
    name,
  ]);
}

/** Says that the evaluator ends in order. */
export async function evaluatorEnded(em: EntityManager, name: string): Promise<void> {
  await em.execute('delete from evaluator_presence where name = ?', [name]);
}
