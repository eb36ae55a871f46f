export * from './task.js';
export * from './round.js';
export * from './dataset.js';
export * from './benchmark-version.js';
