export * from './board-content.js';
export * from './board-revision.js';
export * from './promotion.js';
