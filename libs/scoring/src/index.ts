// For: computing scores: metrics and their intervals, slices, aggregates, the Dynascore, ranks.
// Knows: answers with their gold, and numbers; the same code in evaluator, API and browser.
// Must not know: a database, the clock, a task, a user, where the numbers come from.
export { aggregate, standardErrorOf } from './aggregation.js';
export { intervalAlpha, nominalAlpha, type Agreement } from './agreement.js';
export { aggregateInterval, type BoardMatrix, type MatrixMetric } from './board-matrix.js';
export { type Board } from './board.js';
export { compareAnswers, type ComparedAnswers, type ComparedScores } from './comparison/compare-answers.js';
export { comparePaired, type Comparison } from './comparison/compare-paired.js';
export { compareResamples } from './comparison/compare-resamples.js';
export { holm } from './comparison/holm.js';
export { JointAnswers } from './comparison/joint-answers.js';
export { pairwiseDifferences, type PairwiseDifference } from './comparison/pairwise-differences.js';
export { datasetWeights } from './dataset-weights.js';
export { type AmrsPair, type Calibration } from './dynascore.js';
export { type Clusters } from './estimate.js';
export {
  aggregateMarks,
  comparedMarks,
  costMarks,
  datasetMarks,
  FIGURE_MARKS,
  type DatasetMark,
  type FigureMark,
  type MarkedModel,
  marksLegend,
  markText,
} from './figure-marks.js';
export { independentRanks } from './independent-ranks.js';
export { twoSidedNormal } from './intervals/normal.js';
export { meanEstimate } from './intervals/t-interval.js';
export { proportionEstimate, proportionFromSums, wilson } from './intervals/wilson.js';
export { jointRanks, jointRanksInTurn } from './joint-ranks.js';
export {
  joinedBins,
  latencyPercentiles,
  MINIMUM_SAMPLES,
  percentile,
  type LatencyPercentiles,
} from './latency-percentiles.js';
export { leaveOneOut, type AnsweredExample } from './leave-one-out.js';
export { decodeMatrix, encodeMatrix, type MatrixFile } from './matrix-file.js';
export { RankableMatrix, type MatrixRanking } from './matrix-ranking.js';
export { findMeasure, MEASURES, medianOf, standardDeviation } from './measures.js';
export { MetricAccumulator } from './metric-accumulator.js';
export { type Direction, DIRECTIONS, type ExampleMetric, OUTPUT_TYPES, type OutputType, type Unit } from './metric.js';
export { chrf } from './metrics/chrf.js';
export { exactMatch } from './metrics/exact-match.js';
export { findMetric, metricNamed, METRICS, metricsFor, type PerformanceMetric } from './metrics/registry.js';
export { squadF1 } from './metrics/squad-f1.js';
export { squadWords } from './metrics/squad-normalisation.js';
export { paretoFront } from './pareto-front.js';
export { perturbationScores, type OriginalAnswer, type VariantAnswer } from './perturbation-scores.js';
export { drawNormal } from './random-draws.js';
export type { RankInterval } from './rank-interval.js';
export { incompleteRows, rankingAmong, type Ranking } from './ranking.js';
export { referenceRows } from './reference-rows.js';
export { resampledScores, type ResampledCell, type ResampledRow } from './resampled-scores.js';
export { meanResamples } from './resampling/resampled-values.js';
export { inTurns } from './resampling/work.js';
export { saturation } from './saturation.js';
export { score } from './score.js';
export { falseDiscoveries } from './slices/screening.js';
export type { Slicing } from './slices/slice-field.js';
export { weightStability } from './weight-stability.js';
