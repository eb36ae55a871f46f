// For: leaderboards and saved weights.
export {
  BELOW_BASELINE,
  EXPOSURES,
  LeaderboardQuery,
  LeaderboardRow,
  LeaderboardView,
  LoopPreview,
  LoopView,
  MatrixQuery,
  ModelReference,
  MOST_AGAINST,
  RateExplanation,
  type RowDifference,
  SavedWeighing,
} from './leaderboard.js';
export { ForkSummary, ForkView, SaveFork, SaveSnapshot, SnapshotSummary, SnapshotView } from './saved-board.js';
export { type TableFormat, tableFormatQuery } from './table-format.js';
