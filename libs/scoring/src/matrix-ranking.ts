import { aggregateBoard, type AggregatedMatrix, type BoardMatrix, type OwnRounds } from './board-matrix.js';
import { completeRows, weightsOf, type Board } from './board.js';
import { datasetWeights } from './dataset-weights.js';
import { calibrate, NEGLIGIBLE, type AmrsRule, type Calibration, type Degenerate } from './dynascore.js';
import { rankBoard, type Ranking } from './ranking.js';

/** What of the task's own way of weighing datasets is otherwise. */
export interface DatasetChoice {
  /** Replace the weights of those they name. */
  readonly datasets: Readonly<Record<string, number>>;
  /** Undefined: as the task says. */
  readonly ownRounds?: OwnRounds | undefined;
}

/** `official`: the exchange rates kept with the benchmark version, or their median while there are none. `live`: their mean, as published. */
export interface MetricChoice {
  /** Replace the weights of those they name. */
  readonly weights: Readonly<Record<string, number>>;
  readonly amrs: 'official' | 'live';
}

export interface MatrixRanking {
  /** Of all metrics that weigh. */
  readonly weights: Readonly<Record<string, number>>;
  /** Those that the ranking is made with: a metric that is undefined everywhere weighs nothing. */
  readonly effective: Readonly<Record<string, number>>;
  readonly calibration: Pick<Calibration, 'amrs' | 'degenerate'>;
  readonly ranking: Ranking;
}

/**
 * A matrix under some dataset weights, to be ranked by many metric weights: what does not depend on these is computed once. What the choice
 * does not name is the task's. Throws as `datasetWeights`.
 */
export class RankableMatrix {
  readonly datasetWeights: Readonly<Record<string, number>>;
  readonly ownRounds: OwnRounds;
  readonly aggregated: AggregatedMatrix;
  private readonly calibrations = new Map<string, Calibration>();
  private readonly degenerate = new Map<string, Degenerate | null>();

  constructor(
    readonly matrix: BoardMatrix,
    choice: DatasetChoice,
  ) {
    this.datasetWeights = datasetWeights(matrix.datasets, matrix.aggregate, choice.datasets);
    this.ownRounds = choice.ownRounds ?? matrix.aggregate.ownRounds;
    const weights = Float64Array.from(matrix.datasets, ({ name }) => this.datasetWeights[name]!);
    this.aggregated = aggregateBoard(matrix, weights, this.ownRounds);
  }

  get board(): Board {
    return this.aggregated.board;
  }

  /** Throws as `rankBoard`. */
  rank(choice: MetricChoice): MatrixRanking {
    const weights = { ...this.matrix.weights, ...choice.weights };
    const effective = this.effective(weights);
    const calibration = this.calibrationOf(effective, choice.amrs);
    return { weights, effective, calibration, ranking: rankBoard(this.board, effective, calibration) };
  }

  /** The exchange rates taken from the models that these weights rank. They depend on which metrics weigh, not on how much. */
  calibrate(weights: Readonly<Record<string, number>>, rule: AmrsRule): Calibration {
    const key = `${rule} ${weighedNames(weights)}`;
    const known = this.calibrations.get(key);
    if (known) return known;

    // `live` is the published rule, which knows of no spreads
    const spreads = rule === 'median' ? this.matrix.spreads : {};
    const calibration = calibrate(this.board, weights, rule, { spreads });
    this.calibrations.set(key, calibration);
    return calibration;
  }

  /** The task's own weights, as far as their metrics are defined. */
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
    if (amrs === 'live') return this.calibrate(weights, 'live');
    const { amrs: kept } = this.matrix;
    if (kept) return { amrs: kept, degenerate: this.whyDegenerate(weights) };
    const { degenerate } = this.calibrate(weights, 'median');
    return { amrs: this.calibrate(this.official, 'median').amrs, degenerate };
  }

  private whyDegenerate(weights: Readonly<Record<string, number>>): Degenerate | null {
    const key = weighedNames(weights);
    const known = this.degenerate.get(key);
    if (known !== undefined) return known;

    const found = whyDegenerate(this.board, weights);
    this.degenerate.set(key, found);
    return found;
  }
}

/** Which models are ranked depends on which metrics weigh, not on how much. */
const weighedNames = (weights: Readonly<Record<string, number>>): string =>
  JSON.stringify(
    Object.keys(weights)
      .filter((name) => weights[name] !== 0)
      .sort(),
  );

/**
 * What `calibrate` says of a board, without looking at its pairs. Whether two neighbours in the order of performance differ by more than what is
 * negligible is told by buckets of just that width: within one nobody does.
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

  // a little narrower, as rounding must not put two that differ in one
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
