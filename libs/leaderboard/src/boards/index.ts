// For: boards: content, revisions, ranking by weights, publication.
export type { BoardContent, BoardDataset, BoardModel } from './board-content.js';
export { collectBoard } from './board-content.service.js';
export { BoardMistakes } from './board-mistakes.js';
export { BoardResamples } from './board-resamples.js';
export { BOARD_CHANNEL, BoardRevision, RELEASE_DEADLINE } from './board-revision.js';
export { BoardRevisionRepository, type WholeRevision } from './board-revision.repository.js';
export { BoardRow } from './board-row.js';
export { ChangePreviews } from './change-preview.service.js';
export { HistoryService } from './history.service.js';
export { LeaderboardPublisher } from './leaderboard-publisher.js';
export type { PublishedBoard } from './leaderboard-view.js';
export { type CachedRevision, LeaderboardService } from './leaderboard.service.js';
export { MATRIX_MEDIA_TYPE } from './matrix-body.js';
export { scoreMarks } from './score-marks.js';
export { aggregatesOf, OFFICIAL, officialBoard, weigh } from './weighed-board.js';
