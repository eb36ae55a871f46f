import { BoardRevision } from './boards/board-revision.js';
import { BoardRow } from './boards/board-row.js';
import { Promotion } from './promotions/promotion.js';
import { SignedResult } from './results/signed-result.js';
import { SigningKey } from './results/signing-key.js';
import { BoardSummary } from './summaries/board-summary.js';
import { BoardFork, BoardSnapshot } from './saved/saved-board.js';

/** The entities of this lib. */
export const leaderboardEntities = [
  BoardRevision,
  BoardRow,
  BoardSummary,
  Promotion,
  BoardFork,
  BoardSnapshot,
  SigningKey,
  SignedResult,
];
