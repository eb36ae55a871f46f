import { type Leaderboard, leaderboardLeaderboard, type LeaderboardLeaderboardData } from '@assay/api-client/fetch';
import { type Api, contentOf } from './api.js';

type BoardQuery = NonNullable<LeaderboardLeaderboardData['query']>;

/** The maximum number of rows that the service returns at once. */
const LARGEST_PAGE = 10_000;

/**
 * Returns a board with all its rows, or with `query.limit` of them if it is set. Further pages come
 * from the revision of the first one, in case a new one is published in the meantime.
 */
export async function wholeBoard(api: Api, slug: string, query: BoardQuery = {}): Promise<Leaderboard> {
  const read = (more: BoardQuery): Promise<Leaderboard> =>
    contentOf(leaderboardLeaderboard({ client: api, path: { slug }, query: { ...query, ...more } }));
  if (query.limit !== undefined) return read({});
  const { nextCursor, ...board } = await read({ limit: LARGEST_PAGE });
  const rows = [...board.rows];
  for (let cursor = nextCursor; cursor !== undefined;) {
    const page = await read({ limit: LARGEST_PAGE, asOf: `r${board.revision}`, cursor });
    rows.push(...page.rows);
    cursor = page.nextCursor;
  }
  return { ...board, rows };
}
