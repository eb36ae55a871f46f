// The program of a worker thread: see difference-threads.ts.
export { computeDifferences } from './difference-computation.js';
