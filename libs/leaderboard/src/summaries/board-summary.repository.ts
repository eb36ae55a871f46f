import { jsonValue, Repository } from '@assay/persistence/queries';
import { BoardRevision } from '../boards/board-revision.js';
import { BoardRevisionRepository, type WholeRevision } from '../boards/board-revision.repository.js';
import { standingsOf } from './board-standing.js';
import type { BoardStanding, BoardSummarySchema } from './board-summary.js';

/** The board summaries of the database. */
export class BoardSummaryRepository extends Repository<typeof BoardSummarySchema> {
  /**
   * Stores the summary of a revision unless that of a newer one is stored. Returns the standings of
   * the revision.
   * @param task the ID of its task
   */
  async store(task: string, revision: WholeRevision): Promise<ReturnType<typeof standingsOf>> {
    const standings = standingsOf(revision);
    const values = {
      revision: revision.number,
      disclosed: jsonValue<BoardStanding>(standings.disclosed),
      exact: jsonValue<BoardStanding | null>(standings.exact),
    };
    await this.db
      .insertInto('board_summary')
      .values({ task, ...values })
      .onConflict((conflict) =>
        conflict.column('task').doUpdateSet(values).where('board_summary.revision', '<=', revision.number),
      )
      .execute();
    return standings;
  }

  /** Stores the summary of the revision with this ID, for a revision that was published without one. */
  async fill(id: string): Promise<ReturnType<typeof standingsOf>> {
    const revision = await this.em.findOneOrFail(BoardRevision, id);
    return this.store(revision.task.id, await new BoardRevisionRepository(this.em).whole(revision));
  }
}
