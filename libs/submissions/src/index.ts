export * from './artifact.js';
export * from './run-specification.js';
export * from './model.js';
