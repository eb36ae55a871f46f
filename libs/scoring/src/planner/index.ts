// For: planning rounds: how many examples are needed to tell models apart.
export { detectableErrors, neededExamples, type NeededExamples } from './needed-examples.js';
export { pairSpreads, spreadOf } from './pair-spreads.js';
export { type PairedSpread, pooledSpread } from './paired-spread.js';
