// For: the models and metrics of a board: aggregates, the Dynascore, ranks, reference rows, saturation.
export { aggregate, aggregateInterval, standardErrorOf } from './aggregation.js';
export { type BoardMatrix, type MatrixMetric } from './board-matrix.js';
export { type Board } from './board.js';
export { datasetWeights } from './dataset-weights.js';
export { type AmrsPair, type Calibration } from './dynascore.js';
export { type Exchange, pointsOf } from './exchange.js';
export { goldReferences } from './gold-references.js';
export { decodeMatrix, encodeMatrix, type MatrixFile } from './matrix-file.js';
export { RankableMatrix, type MatrixRanking } from './matrix-ranking.js';
export { paretoFront } from './pareto-front.js';
export { incompleteRows, rankingAmong, type Ranking } from './ranking.js';
export { saturation } from './saturation.js';
export { type BoardMetric, utilityRule } from './utility.js';
