import { unknownMetric, type Board } from '../../../libs/scoring/src/board/board.js';
import {
  calibrate,
  type AmrsRule,
  type Calibration,
  type Degenerate,
} from '../../../libs/scoring/src/board/dynascore.js';
import { incompleteRows, rankBoard } from '../../../libs/scoring/src/board/ranking.js';
import { utilityRule, type BoardMetric } from '../../../libs/scoring/src/board/utility.js';

/** A model with its aggregated metrics. Null, absent and NaN values are missing. */
export interface BoardRow {
  readonly id: string;
  readonly metrics: Readonly<Record<string, number | null | undefined>>;
  /** Standard errors in the metrics' units, if known; costs have none. */
  readonly standardErrors?: Readonly<Record<string, number | null | undefined>>;
}

/**
 * Creates a board from rows.
 *
 * @throws DomainError `unknown_metric` if the performance metric is not among the metrics
 */
export function prepareBoard(rows: readonly BoardRow[], metrics: readonly BoardMetric[], performance: string): Board {
  const place = metrics.findIndex((metric) => metric.name === performance);
  if (place === -1) throw unknownMetric(performance);

  const values = new Float64Array(rows.length * metrics.length);
  const utilities = new Float64Array(rows.length * metrics.length);
  const errors = new Float64Array(rows.length * metrics.length);
  for (const [column, metric] of metrics.entries()) {
    const rule = utilityRule(metric);
    for (const [row, { metrics: given, standardErrors }] of rows.entries()) {
      const cell = row * metrics.length + column;
      const value = finite(given[metric.name]);
      values[cell] = value;
      utilities[cell] = rule.utilityOf(value);
      errors[cell] = rule.slopeAt(value) * finite(standardErrors?.[metric.name]);
    }
  }
  return { ids: rows.map((row) => row.id), metrics, performance: place, values, utilities, errors };
}

const finite = (value: number | null | undefined): number =>
  typeof value === 'number' && Number.isFinite(value) ? value : NaN;

export interface RankedBoard {
  /** Best first. */
  readonly rows: readonly { readonly id: string; readonly rank: number; readonly dynascore: number }[];
  readonly incomplete: ReturnType<typeof incompleteRows>;
  readonly calibration: Calibration;
  /** The effective weight per metric; sums to 1. */
  readonly weights: Readonly<Record<string, number>>;
  readonly degenerate: Degenerate | null;
}

export interface RankOptions {
  readonly metrics: readonly BoardMetric[];
  /** Name of the performance metric. */
  readonly performance: string;
  readonly weights: Readonly<Record<string, number>>;
  /** The calibration stored with the benchmark version, or the rule to calibrate these rows by. */
  readonly amrs: AmrsRule | Calibration;
}

/** Ranks rows with `prepareBoard`, `calibrate` and `rankBoard`. Throws their errors. */
export function rank(rows: readonly BoardRow[], options: RankOptions): RankedBoard {
  const board = prepareBoard(rows, options.metrics, options.performance);
  const calibration = typeof options.amrs === 'string' ? calibrate(board, options.weights, options.amrs) : options.amrs;
  const ranking = rankBoard(board, options.weights, calibration);
  const ranked = Array.from(ranking.order, (row, place) => ({
    id: board.ids[row]!,
    rank: ranking.rank[place]!,
    dynascore: ranking.dynascore[place]!,
  }));
  const weights = Object.fromEntries(board.metrics.map(({ name }, column) => [name, ranking.weights[column]!]));
  const incomplete = incompleteRows(board, options.weights);
  return { rows: ranked, incomplete, calibration, weights, degenerate: ranking.degenerate };
}
