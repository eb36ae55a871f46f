import { Repository } from '@assay/persistence/queries';
import type { BoardModel } from './board-content.js';
import { BoardRevision, RELEASE_DEADLINE } from './board-revision.js';
import { unpackedDigests } from './board-row.js';
import { BoardRowRepository, type KnownRows } from './board-row.repository.js';
import type { PublishedBoard } from './leaderboard-view.js';
import type { StoredRanks } from './stored-ranks.js';

/** A revision with all its models. */
export interface WholeRevision extends Omit<PublishedBoard, 'disclosure'> {
  /** The models with exact scores, for the owner of the task. Null if none is rounded. */
  readonly exactModels: readonly BoardModel[] | null;
  /** The rank intervals under the task's own weights. Null: they are computed when the board is read. */
  readonly officialRanks: StoredRanks | null;
}

/** The last board revision of a benchmark version. */
export interface LastRevision {
  readonly benchmarkVersion: number;
  readonly number: number;
  /** When the next board was published; null: it is the newest. */
  readonly followed: string | null;
}

/** Selects the revisions of a benchmark version, one revision by number, or those until a time. */
export interface RevisionSelection {
  readonly by: 'benchmarkVersion' | 'number' | 'publishedAt';
  readonly value: number | Date;
}

const SELECTED = {
  benchmarkVersion: 'and r.benchmark_version = ?',
  number: 'and r.number = ?',
  publishedAt: 'and r.published_at <= ?',
} as const;

/** The board revisions of the database. */
export class BoardRevisionRepository extends Repository {
  /**
   * Returns the newest revision of a task with its models. Null if there is none.
   * @param until only revisions that were published until then
   */
  async newestWhole({ id }: { readonly id: string }, until?: Date): Promise<WholeRevision | null> {
    const published = until && { publishedAt: { $lte: until } };
    const newest = await this.em.findOne(BoardRevision, { task: id, ...published }, { orderBy: { number: 'desc' } });
    return newest && this.whole(newest);
  }

  /**
   * Returns a revision with its models.
   * @param known rows that need not be read; those that are read are added
   */
  async whole(revision: BoardRevision, known?: KnownRows): Promise<WholeRevision> {
    const { number, benchmarkVersion, publishedAt, content, modelRows, exactModelRows } = revision;
    const rows = new BoardRowRepository(this.em);
    const found = async (packed: Uint8Array): Promise<BoardModel[]> => rows.find(unpackedDigests(packed), known);
    return {
      ...{ number, benchmarkVersion, publishedAt },
      content: { ...content, models: modelRows ? await found(modelRows) : content.models! },
      exactModels: exactModelRows ? await found(exactModelRows) : (revision.exactModels ?? null),
      officialRanks: revision.officialRanks ?? null,
    };
  }

  /** Returns the last revision of each benchmark version with a board, the oldest version first. */
  lastOfVersions(task: string): Promise<LastRevision[]> {
    return this.em.execute<LastRevision[]>(
      `select distinct on (benchmark_version) benchmark_version as "benchmarkVersion", number,
         lead(published_at) over (order by number) as followed
       from board_revision where task_id = ? order by benchmark_version, number desc`,
      [task],
    );
  }

  /** Returns the numbers of the benchmark versions with a board, in order. */
  async benchmarkVersions(task: string): Promise<readonly number[]> {
    const rows = await this.em.execute<{ number: number }[]>(
      'select distinct benchmark_version as number from board_revision where task_id = ? order by number',
      [task],
    );
    return rows.map(({ number }) => number);
  }

  /**
   * Returns the ID of the newest revision of a task, or of the newest one that is selected. Null if
   * there is none.
   */
  async newest(slug: string, selection?: RevisionSelection): Promise<string | null> {
    const rows = await this.em.execute<{ id: string }[]>(
      `select r.id from board_revision r join task t on t.id = r.task_id
        where t.slug = ? ${selection ? SELECTED[selection.by] : ''} order by r.number desc limit 1`,
      [slug, ...(selection ? [selection.value] : [])],
    );
    return rows[0]?.id ?? null;
  }

  /** Returns when the first revision of a task was published; null if there is none. */
  async firstPublishedAt(slug: string): Promise<Date | null> {
    const rows = await this.em.execute<{ at: Date | string }[]>(
      'select r.published_at as at from board_revision r join task t on t.id = r.task_id where t.slug = ? order by r.number limit 1',
      [slug],
    );
    return rows[0] ? new Date(rows[0].at) : null;
  }

  /**
   * Returns the IDs of the tasks whose newest benchmark version is past its deadline and has no
   * board yet. No other event may ever enqueue their publication.
   */
  async overdueTasks(): Promise<readonly string[]> {
    const rows = await this.em.execute<{ task: string }[]>(
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
}
