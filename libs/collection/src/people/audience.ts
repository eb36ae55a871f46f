import type { EntityManager } from '@mikro-orm/postgresql';

/** Returns the IDs of the users who took part in a task or have an accepted model in it. */
export async function audienceOf(em: EntityManager, taskId: string): Promise<string[]> {
  const rows = await em.execute<{ id: string }[]>(
    `select p.user_id as id from participation p join round r on r.id = p.round_id where r.task_id = ?
     union select a.annotator_id from annotation a join round r on r.id = a.round_id
            where r.task_id = ? and a.annotator_id is not null and a.source = 'written'
     union select v.validator_id from validation v join annotation a on a.id = v.annotation_id join round r on r.id = a.round_id
            where r.task_id = ? and v.validator_id is not null
     union select m.owner_id from model m where m.task_id = ? and m.accepted_at is not null and not m.withdrawn`,
    Array.from({ length: 4 }, () => taskId),
  );
  return rows.map(({ id }) => id);
}

/** A model's entry into a loop, or its exit. */
export interface LoopMove {
  /** The ID of the database row that records it. */
  readonly id: string;
  readonly owner: string;
  readonly model: string;
  readonly name: string;
  /** The number of the round; null: the task's own loop. */
  readonly round: number | null;
  readonly why: string | null;
}

const MOVE_DAYS = 7;

/**
 * Returns the moves of the last `MOVE_DAYS` days in the loops of a task. That is all moves in the
 * loop of the policy, and those in the loop of a round that differ from it: models that a person
 * named, replacements, and models that left while the round was open.
 */
export async function loopMoves(
  em: EntityManager,
  taskId: string,
): Promise<{ readonly entered: LoopMove[]; readonly left: LoopMove[] }> {
  const of = (table: string) =>
    `m.id as model, m.name, m.owner_id as owner from ${table} x join model m on m.id = x.model_id`;
  const entered = await em.execute<LoopMove[]>(
    `select x.id, null::int as round, null as why, ${of('promotion')}
      where x.task_id = ? and x.since > now() - make_interval(days => ?)
     union all select x.id, r.number, null, ${of('round_model')} join round r on r.id = x.round_id
      where r.task_id = ? and x.since > now() - make_interval(days => ?) and x.reason <> 'policy'`,
    [taskId, MOVE_DAYS, taskId, MOVE_DAYS],
  );
  const left = await em.execute<LoopMove[]>(
    `select x.id, null::int as round, null as why, ${of('promotion')}
      where x.task_id = ? and x.until > now() - make_interval(days => ?)
     union all select x.id, r.number, x."left", ${of('round_model')} join round r on r.id = x.round_id
      where r.task_id = ? and x.until > now() - make_interval(days => ?) and (r.closed_at is null or x.until < r.closed_at)`,
    [taskId, MOVE_DAYS, taskId, MOVE_DAYS],
  );
  return { entered, left };
}
