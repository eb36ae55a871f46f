// For: ranking: boards and their revisions, custom weights, and the choice of target models.
// Knows: cells of ranked models, datasets' weights, policies.
// Must not know: how a cell was computed.
export { AnsweredExamplesService, FEWEST_EXAMPLES } from './answers/answered-examples.service.js';
export type { BoardContent, BoardDataset, BoardModel } from './board-content.js';
export { collectBoard } from './board-content.service.js';
export { BoardMistakes } from './board-mistakes.js';
export { BoardResamples } from './board-resamples.js';
export { BOARD_CHANNEL, BoardRevision, RELEASE_DEADLINE } from './board-revision.js';
export { BoardRevisionRepository } from './board-revision.repository.js';
export { ChangePreviews } from './change-preview.service.js';
export { ComparisonService, DatasetDifferences } from './comparison/index.js';
export {
  CONTENT_ENCODINGS,
  type ContentEncoding,
  bodyOf,
  encodedBody,
  etagOf,
  jsonBody,
  type ResponseBody,
} from './encoded-body.js';
export { leaderboardEntities } from './entities.js';
export {
  boardTable,
  compareMatrixTable,
  compareTable,
  CSV_MEDIA_TYPE,
  csvOf,
  LATEX_MEDIA_TYPE,
  latexOf,
  type Table,
} from './formats/index.js';
export { HistoryService } from './history.service.js';
export { LeaderboardPublisher } from './leaderboard-publisher.js';
export type { PublishedBoard } from './leaderboard-view.js';
export { LeaderboardModule } from './leaderboard.module.js';
export { type CachedRevision, LeaderboardService } from './leaderboard.service.js';
export { MATRIX_MEDIA_TYPE } from './matrix-body.js';
export { leaderboardPersonalData } from './personal-data.js';
export { Promotion } from './promotion.js';
export { eligible } from './promotion.policy.js';
export { followPolicy, excludedModels, promote, PromotionsService } from './promotions.service.js';
export { BoardFork } from './saved-board.js';
export { SavedBoardsService, type SnapshotFacts } from './saved-boards.service.js';
export { scoreMarks } from './score-marks.js';
export { aggregatesOf, OFFICIAL, officialBoard, weigh } from './weighed-board.js';
