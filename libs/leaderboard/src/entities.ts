import { BoardRevision } from './board-revision.js';
import { Promotion } from './promotion.js';
import { BoardFork, BoardSnapshot } from './saved-board.js';

/** The entities of this lib. */
export const leaderboardEntities = [BoardRevision, Promotion, BoardFork, BoardSnapshot];
