// For: how certain ranks are: intervals of ranks, and how stable they are under other weights.
export { costSpreads, type MeasuredSpread } from './cost-spreads.js';
export { dynascoreError, independentRanks } from './independent-ranks.js';
export { jointRanks, jointRanksInTurn } from './joint-ranks.js';
export { EXACT_BELOW, pairedBounds } from './paired-bounds.js';
export { type FamilyRank, rankFamily, rankFamilyInTurn, type RankFamily } from './rank-family.js';
export type { RankInterval } from './rank-interval.js';
export { resampledScores, type ResampledCell, type ResampledRow } from './resampled-scores.js';
export { discordantCounts, packRight, RIGHT_ANSWERS, RIGHT_PER_VALUE } from '../resampling/right-answers.js';
export { weightStability } from './weight-stability.js';
