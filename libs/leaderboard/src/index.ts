// For: ranking: boards and their revisions, custom weights, and the choice of target models.
// Knows: cells of ranked models, datasets' weights, policies.
// Must not know: how a cell was computed.
export * from './answers/answered-examples.service.js';
export * from './board-body.js';
export * from './board-content.js';
export * from './board-content.service.js';
export * from './board-mistakes.js';
export * from './board-resamples.js';
export * from './diverse-set.js';
export * from './board-revision.js';
export * from './comparison/index.js';
export * from './change-preview.service.js';
export * from './contenders.js';
export * from './encoded-body.js';
export * from './contamination.js';
export * from './formats/index.js';
export * from './history.service.js';
export * from './leaderboard.service.js';
export * from './leaderboard-publisher.js';
export * from './leaderboard-view.js';
export * from './matrix-body.js';
export * from './prepared-board.js';
export * from './promotion.js';
export * from './promotion.policy.js';
export * from './promotions.service.js';
export * from './rank-certainty.js';
export * from './reference-boards.js';
export * from './release-deadline.js';
export * from './saved-board.js';
export * from './saved-boards.service.js';
export * from './score-marks.js';
export * from './weighed-board.js';
export * from './entities.js';
