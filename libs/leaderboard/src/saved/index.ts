// For: weights that people save, and snapshots of boards.
export { BoardFork } from './saved-board.js';
export { SavedBoardsService, type SnapshotFacts } from './saved-boards.service.js';
