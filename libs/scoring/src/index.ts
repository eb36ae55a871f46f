// For: computing scores: metrics and their intervals, slices, aggregates, the Dynascore, ranks.
// Knows: answers with their gold, and numbers; the same code in evaluator, API and browser.
// Must not know: a database, the clock, a task, a user, where the numbers come from.
export { intervalAlpha, nominalAlpha, setAlpha, type Agreement } from './agreement.js';
export { crossedClusters } from './crossed-clusters.js';
export { type Clusters } from './estimate.js';
export { leaveOneOut, type AnsweredExample } from './leave-one-out.js';
export { MetricAccumulator } from './metric-accumulator.js';
export { perturbationScores, type OriginalAnswer, type VariantAnswer } from './perturbation-scores.js';
export { drawNormal } from './random-draws.js';
export { meanResamples } from './resampling/resampled-values.js';
export { atOnce, inTurns, type Work } from './resampling/work.js';
export { score } from './score.js';
export { BOARD_VERSION, SCORING_VERSION } from './scoring-version.js';
export { falseDiscoveries } from './slices/screening.js';
export type { Slicing } from './slices/slice-field.js';
