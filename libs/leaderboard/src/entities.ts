import { BoardRevision } from './boards/board-revision.js';
import { Promotion } from './promotions/promotion.js';
import { BoardFork, BoardSnapshot } from './saved/saved-board.js';

/** The entities of this lib. */
export const leaderboardEntities = [BoardRevision, Promotion, BoardFork, BoardSnapshot];
