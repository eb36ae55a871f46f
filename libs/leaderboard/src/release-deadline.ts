import type { EntityManager } from '@mikro-orm/postgresql';

/** A benchmark version waits this long for its contenders, in milliseconds: one model that hangs holds nobody up. */
export const RELEASE_DEADLINE = 86_400_000;

/** Ids of the tasks whose newest benchmark version is past its deadline and has no board yet: nothing else may ever ring for them. */
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
