// For: computing scores: metrics and their intervals, slices, aggregates, the Dynascore, ranks.
// Knows: answers with their gold, and numbers; the same code in evaluator, API and browser.
// Must not know: a database, the clock, a task, a user, where the numbers come from.
export { intervalAlpha, nominalAlpha, type Agreement, type RatedUnits } from './agreement.js';
export { aggregate, aggregateMatrix, standardErrorOf, type Aggregate, type CellEstimate } from './aggregation.js';
export {
  aggregateBoard,
  aggregateInterval,
  type AggregatedMatrix,
  type BoardMatrix,
  type MatrixMetric,
  type OwnRounds,
} from './board-matrix.js';
export { prepareBoard, type Board, type BoardRow } from './board.js';
export { decodeMatrix, encodeMatrix, MATRIX_FORMAT, type MatrixFile } from './matrix-file.js';
export { RankableMatrix, type DatasetChoice, type MatrixRanking, type MetricChoice } from './matrix-ranking.js';
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
export { fitOwnCells } from './own-cells.js';
export { jointRanks, jointRanksInTurn, type JointRanksOptions } from './joint-ranks.js';
export { paretoFront } from './pareto-front.js';
export { drawNormal } from './random-draws.js';
export {
  resampledScores,
  type ResampledCell,
  type ResampledRow,
  type ResampledScoresOptions,
} from './resampled-scores.js';
export { weightStability, type WeightStability, type WeightStabilityOptions } from './weight-stability.js';
export { comparePaired, FLIPS, type Comparison, type PairedScores } from './comparison/compare-paired.js';
export { compareAnswers, type ComparedAnswers, type ComparedScores } from './comparison/compare-answers.js';
export { compareResamples, type DrawnFigure, type ResampledComparison } from './comparison/compare-resamples.js';
export { compareStatistic, type JointStatistic, type StatisticComparison } from './comparison/compare-statistic.js';
export { holm } from './comparison/holm.js';
export { JointAnswers, type JointAnswersOptions, type JointExample } from './comparison/joint-answers.js';
export { pairwiseDifferences, type PairwiseDifference } from './comparison/pairwise-differences.js';
export { twoSidedNormal } from './intervals/normal.js';
export { falseDiscoveries } from './slices/screening.js';
export { datasetWeights, type AggregateSettings, type WeighedDataset } from './dataset-weights.js';
export {
  calibrate,
  type AmrsPair,
  type AmrsRule,
  type CalibrateOptions,
  type Calibration,
  type Degenerate,
} from './dynascore.js';
export { bareEstimate, type Clusters, type Estimate } from './estimate.js';
export { labelEstimate } from './intervals/bootstrap.js';
export { meanEstimate } from './intervals/t-interval.js';
export { proportionEstimate, proportionFromSums, type ProportionSums, wilson } from './intervals/wilson.js';
export { LabelCells, cellTable, type CellTable } from './label-cells.js';
export type { Reliability, ReliabilityBin } from './calibration.js';
export type { LabelCounts } from './label-counts.js';
export {
  joinedBins,
  type LatencyBin,
  latencyPercentiles,
  MINIMUM_SAMPLES,
  percentile,
  type LatencyPercentile,
  type LatencyPercentiles,
} from './latency-percentiles.js';
export { leaveOneOut, type AnsweredExample, type LeaveOneOutOptions } from './leave-one-out.js';
export { findMeasure, MEASURES, medianOf, standardDeviation, type Measure } from './measures.js';
export type { Direction, ExampleMetric, LabelMetric, Metric, OutputType, Unit } from './metric.js';
export {
  MetricAccumulator,
  type AccumulatedScores,
  type AccumulatorOptions,
  type CompleteScores,
  type MetricScores,
  type ScoredExample,
} from './metric-accumulator.js';
export { chrf } from './metrics/chrf.js';
export { exactMatch } from './metrics/exact-match.js';
export { findMetric, metricNamed, METRICS, metricsFor } from './metrics/registry.js';
export { squadF1 } from './metrics/squad-f1.js';
export { squadWords } from './metrics/squad-normalisation.js';
export { independentRanks, type IndependentRanksOptions } from './independent-ranks.js';
export type { JointRanksInput, RankInterval } from './rank-interval.js';
export {
  incompleteRows,
  rank,
  rankBoard,
  rankingAmong,
  type RankedBoard,
  type RankedRow,
  type Ranking,
  type RankOptions,
} from './ranking.js';
export {
  perturbationScores,
  type OriginalAnswer,
  type PerturbationOptions,
  type PerturbationScores,
  type TransformStanding,
  type VariantAnswer,
} from './perturbation-scores.js';
export { referenceRows, type ReferenceRow } from './reference-rows.js';
export { saturation, type SaturationPoint } from './saturation.js';
export { score, type Scored } from './score.js';
export { toUtility, utilityRule, type BoardMetric, type UtilityCurve, type UtilityRule } from './utility.js';
export { drawnGroups, RESAMPLES } from './resampling/cluster-draws.js';
export { groupsOf, meanResamples, resampledValues } from './resampling/resampled-values.js';
export { meanStatistic, sumsStatistic, type Contributions, type Statistic } from './resampling/statistic.js';
export { atOnce, inTurns, type Work } from './resampling/work.js';
export type { Slicing } from './slices/slice-field.js';
export type { SliceEstimate, SliceSpread } from './slices/slice-spread.js';
