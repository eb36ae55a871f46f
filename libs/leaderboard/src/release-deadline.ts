import type { EntityManager } from '@mikro-orm/postgresql';

/**
 * Milliseconds that a benchmark version waits for its contenders: a model that hangs must not block
 * the release.
 */
export const RELEASE_DEADLINE = 86_400_000;

/**
 * Returns the IDs of the tasks whose newest benchmark version is past its deadline and has no board
 * yet. No other event may ever enqueue their publication.
 */
export async function overdueBoards(em: EntityManager): Promise<readonly string[]> {
  const rows = await em.execute<{ task: string }[]>(
    `select newest.task_id as task
       from (select distinct on (task_id) task_id, number, created_at from benchmark_version
              order by task_id, number desc) as newest
      where newest.created_at < now() - make_interval(secs => ?)
        and not exists (select 1 from board_revision as revision
              where revision.task_id = newest.task_id and revision.benchmark_version = newest.number)`,
    [RELEASE_DEADLINE / 1000],
  );
  return rows.map(({ task }) => task);
}
