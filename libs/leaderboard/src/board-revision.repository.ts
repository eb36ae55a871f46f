import type { EntityManager } from '@mikro-orm/postgresql';

/** The last board revision of a benchmark version. */
export interface LastRevision {
  readonly benchmarkVersion: number;
  readonly number: number;
  /** When the next board was published; null: it is the newest. */
  readonly followed: string | null;
}

/** The board revisions of the database. */
export class BoardRevisionRepository {
  /** @param em its transaction is used, if it has one */
  constructor(private readonly em: EntityManager) {}

  /** Returns the last revision of each benchmark version with a board, the oldest version first. */
  lastOfVersions(task: string): Promise<LastRevision[]> {
    return this.em.execute<LastRevision[]>(
      `select distinct on (benchmark_version) benchmark_version as "benchmarkVersion", number,
         lead(published_at) over (order by number) as followed
       from board_revision where task_id = ? order by benchmark_version, number desc`,
      [task],
    );
  }
}
