// For: what a model is worth: metrics and their intervals, slices, aggregates, the Dynascore, ranks.
// Knows: answers beside their gold, and numbers; the same code in the evaluator, the API and the browser.
// Must not know: a database, the clock, a task, a user, where the numbers come from.
export { aggregate, aggregateMatrix, type Aggregate, type CellEstimate } from './aggregation.js';
export { prepareBoard, type Board, type BoardRow } from './board.js';
export { fitOwnCells } from './own-cells.js';
export { jointRanks, type JointRanksOptions } from './joint-ranks.js';
export { paretoFront } from './pareto-front.js';
export {
  resampledScores,
  type ResampledCell,
  type ResampledRow,
  type ResampledScoresOptions,
} from './resampled-scores.js';
export { weightStability, type WeightStability, type WeightStabilityOptions } from './weight-stability.js';
export { datasetWeights, type AggregateSettings, type WeighedDataset } from './dataset-weights.js';
export { calibrate, type AmrsPair, type AmrsRule, type Calibration, type Degenerate } from './dynascore.js';
export { bareEstimate, type Clusters, type Estimate } from './estimate.js';
export { labelEstimate, RESAMPLES } from './intervals/bootstrap.js';
export { meanEstimate } from './intervals/t-interval.js';
export { proportionEstimate, wilson } from './intervals/wilson.js';
export { LabelCells, cellTable, type CellTable } from './label-cells.js';
export type { LabelCounts } from './label-counts.js';
export {
  latencyPercentiles,
  MINIMUM_SAMPLES,
  percentile,
  type LatencyPercentile,
  type LatencyPercentiles,
} from './latency-percentiles.js';
export { findMeasure, MEASURES, medianOf, standardDeviation, type Measure } from './measures.js';
export type { Direction, ExampleMetric, LabelMetric, Metric, OutputType, Unit } from './metric.js';
export {
  MetricAccumulator,
  type AccumulatedScores,
  type AccumulatorOptions,
  type MetricScores,
  type ScoredExample,
} from './metric-accumulator.js';
export { findMetric, metricNamed, METRICS, metricsFor } from './metrics/registry.js';
export { independentRanks, type IndependentRanksOptions } from './independent-ranks.js';
export type { JointRanksInput, RankInterval } from './rank-interval.js';
export {
  incompleteRows,
  rank,
  rankBoard,
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
export { score, type Scored } from './score.js';
export { toUtility, utilityRule, type BoardMetric, type UtilityCurve, type UtilityRule } from './utility.js';
