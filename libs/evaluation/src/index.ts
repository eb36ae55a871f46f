export * from './evaluation.js';
export * from './run.js';
