import { BoardRevision } from './board-revision.js';
import { Promotion } from './promotion.js';

/** The tables of this context. */
export const leaderboardEntities = [BoardRevision, Promotion];
