import { remembered } from '@assay/kernel';
import { aggregateBoard, boardOf, type AggregatedMatrix, type BoardMatrix, type OwnRounds } from './board-matrix.js';
import { belowBaseline } from './baseline-gate.js';
import { completeRows, expectBounded, weightsOf, type Board } from './board.js';
import { datasetWeights } from './dataset-weights.js';
import { calibrate, NEGLIGIBLE, type AmrsRule, type Calibration, type Degenerate } from './dynascore.js';
import { atFixedRates } from './exchange.js';
import { rankBoard, rankingAmong, type Ranking, type RankingRates } from './ranking.js';

/** The differences from the task's own dataset weights. */
export interface DatasetChoice {
  /** Replacement weights by dataset name. */
  readonly datasets: Readonly<Record<string, number>>;
  /** Undefined: the task's setting. */
  readonly ownRounds?: OwnRounds | undefined;
}

/**
 * The metric weights and exchange rates to rank with. `official`: the rates of the matrix's
 * `exchange`; on boards of schema 1 those stored with the benchmark version, or the median while
 * there are none. `live`: the mean over the models present, as published.
 */
export interface MetricChoice {
  /** Replacement weights by metric name. */
  readonly weights: Readonly<Record<string, number>>;
  readonly amrs: 'official' | 'live';
}

export interface MatrixRanking {
  /** The weights of all metrics, before undefined metrics are removed. */
  readonly weights: Readonly<Record<string, number>>;
  /** The weights that the ranking uses. Metrics that are undefined everywhere are left out. */
  readonly effective: Readonly<Record<string, number>>;
  /** The exchange rates (AMRS); null where rates are fixed. */
  readonly calibration: RankingRates;
  /** The board that was ranked: its utilities are in points where rates are fixed. */
  readonly board: Board;
  readonly ranking: Ranking;
  /**
   * The models below the baseline, by score, which have no rank. Null where there is no baseline:
   * with AMRS, or without known reference rows.
   */
  readonly below: Ranking | null;
}

/**
 * A matrix with fixed dataset weights, to be ranked with many metric weights. Values that do not
 * depend on the metric weights are computed once. Settings that `choice` leaves out are the task's.
 * Throws the errors of `datasetWeights` and `expectBounded`.
 */
export class RankableMatrix {
  readonly datasetWeights: Readonly<Record<string, number>>;
  readonly ownRounds: OwnRounds;
  readonly aggregated: AggregatedMatrix;
  /** The board at fixed rates; null where AMRS is used. */
  private readonly atFixedRates: Board | null;
  /** 1 for each model below the baseline; null where no model is. */
  readonly isBelow: Uint8Array | null;
  private readonly calibrations = new Map<string, Calibration>();
  private readonly degenerate = new Map<string, Degenerate | null>();

  constructor(
    readonly matrix: BoardMatrix,
    choice: DatasetChoice,
  ) {
    expectBounded('datasets', choice.datasets);
    this.datasetWeights = datasetWeights(matrix.datasets, matrix.aggregate, choice.datasets);
    this.ownRounds = choice.ownRounds ?? matrix.aggregate.ownRounds;
    const weights = Float64Array.from(matrix.datasets, ({ name }) => this.datasetWeights[name]!);
    this.aggregated = aggregateBoard(matrix, weights, this.ownRounds);
    this.atFixedRates = boardAtFixedRates(matrix, this.aggregated);
    this.isBelow = this.atFixedRates && belowBaseline(matrix, this.aggregated, { weights, ownRounds: this.ownRounds });
  }

  /** The board with the linear utilities of the published formula. */
  get board(): Board {
    return this.aggregated.board;
  }

  /** Ranks with these metric weights. Throws the errors of `rankBoard` and `expectBounded`. */
  rank(choice: MetricChoice): MatrixRanking {
    expectBounded('weights', choice.weights);
    const weights = { ...this.matrix.weights, ...choice.weights };
    const effective = this.effective(weights);
    const facts = { weights, effective };
    if (this.atFixedRates && choice.amrs === 'official') {
      return {
        ...facts,
        calibration: null,
        board: this.atFixedRates,
        ...this.gated(this.atFixedRates, effective),
      };
    }
    const calibration = this.calibrationOf(effective, choice.amrs);
    const ranking = rankBoard(this.board, effective, calibration);
    return { ...facts, calibration, board: this.board, ranking, below: null };
  }

  /** Ranks the models at fixed rates, those below the baseline apart. */
  private gated(board: Board, weights: Readonly<Record<string, number>>): Pick<MatrixRanking, 'ranking' | 'below'> {
    const ranking = rankBoard(board, weights, null);
    const { isBelow } = this;
    if (!isBelow) return { ranking, below: null };
    return {
      ranking: rankingAmong(ranking, (row) => isBelow[row] === 0),
      below: rankingAmong(ranking, (row) => isBelow[row] === 1),
    };
  }

  /**
   * Returns the exchange rates computed from the models that these weights rank. They depend on
   * which weights are non-zero, not on their size.
   */
  calibrate(weights: Readonly<Record<string, number>>, rule: AmrsRule): Calibration {
    // `live` is the published rule, which does not use spreads
    const spreads = rule === 'median' ? this.matrix.spreads : {};
    return remembered(this.calibrations, `${rule} ${weighedNames(weights)}`, () =>
      calibrate(this.board, weights, rule, { spreads }),
    );
  }

  /** The task's own weights, without undefined metrics. */
  get official(): Readonly<Record<string, number>> {
    return this.effective(this.matrix.weights);
  }

  private effective(weights: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
    const { undefinedMetrics } = this.aggregated;
    if (undefinedMetrics.size === 0 || undefinedMetrics.size === this.matrix.metrics.length) return weights;
    const defined = Object.entries(weights).filter(([name]) => !undefinedMetrics.has(name));
    const isNothingLeft =
      defined.every(([, weight]) => weight === 0) && Object.values(weights).some((each) => each > 0);
    return isNothingLeft ? { [this.matrix.performance]: 1 } : Object.fromEntries(defined);
  }

  private calibrationOf(
    weights: Readonly<Record<string, number>>,
    amrs: MetricChoice['amrs'],
  ): Pick<Calibration, 'amrs' | 'degenerate'> {
    if (amrs === 'live' || this.matrix.exchange) return this.calibrate(weights, 'live');
    const { amrs: stored } = this.matrix;
    if (stored) return { amrs: stored, degenerate: this.whyDegenerate(weights) };
    const { degenerate } = this.calibrate(weights, 'median');
    return { amrs: this.calibrate(this.official, 'median').amrs, degenerate };
  }

  private whyDegenerate(weights: Readonly<Record<string, number>>): Degenerate | null {
    return remembered(this.degenerate, weighedNames(weights), () => whyDegenerate(this.board, weights));
  }
}

function boardAtFixedRates(matrix: BoardMatrix, { board, standardErrors }: AggregatedMatrix): Board | null {
  const { exchange } = matrix;
  if (exchange?.kind !== 'fixed') return null;
  const metrics = matrix.metrics.map((metric) => atFixedRates(metric, exchange));
  return boardOf(matrix, metrics, { values: board.values, standardErrors });
}

/** Returns the key of the metrics of non-zero weight. They alone decide which models are ranked. */
const weighedNames = (weights: Readonly<Record<string, number>>): string =>
  JSON.stringify(
    Object.keys(weights)
      .filter((name) => weights[name] !== 0)
      .sort(),
  );

/**
 * Returns the `degenerate` reason that `calibrate` gives for a board, without computing its pairs.
 * To find two neighbours in the order of performance that differ by more than the negligible
 * amount, it sorts the values into buckets of that width: within a bucket no two differ by more.
 */
export function whyDegenerate(board: Board, weights: Readonly<Record<string, number>>): Degenerate | null {
  const rows = completeRows(board, weightsOf(board, weights));
  if (rows.length < 2) return rows.length === 0 ? 'no_models' : 'one_model';

  const performance = Float64Array.from(
    rows,
    (row) => board.utilities[row * board.metrics.length + board.performance]!,
  );
  const lowest = performance.reduce((before, each) => Math.min(before, each));
  const highest = performance.reduce((before, each) => Math.max(before, each));
  const negligible = NEGLIGIBLE * Math.max(Math.abs(lowest), Math.abs(highest));
  if (!(highest - lowest > negligible)) return 'equal_performance';

  // slightly narrower buckets, because rounding must not put two different values into one
  const perUnit = (1 + 1e-9) / negligible;
  const buckets = Math.floor((highest - lowest) * perUnit) + 1;
  const least = new Float64Array(buckets).fill(Infinity);
  const most = new Float64Array(buckets).fill(-Infinity);
  for (const each of performance) {
    const bucket = Math.floor((each - lowest) * perUnit);
    if (each < least[bucket]!) least[bucket] = each;
    if (each > most[bucket]!) most[bucket] = each;
  }
  let below = lowest;
  for (let bucket = 0; bucket < buckets; bucket++) {
    if (least[bucket] === Infinity) continue;
    if (least[bucket]! - below > negligible) return null;
    below = most[bucket]!;
  }
  return 'equal_performance';
}
