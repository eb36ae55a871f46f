import { DomainError } from '@assay/kernel';
import { unknownMetric, type Board } from './board.js';
import { descendingOrder } from './descending-order.js';

/**
 * Returns the rows of a board that no other row dominates: no row is at least as good in all of
 * these metrics and better in one. Equal rows are either all on the front or all off it. Rows
 * without a value for one of the metrics are left out. The result is in the order of the board.
 *
 * @throws DomainError `too_few_metrics` for fewer than two metrics; `unknown_metric`
 */
export function paretoFront(board: Board, metricNames: readonly string[]): Int32Array {
  const columns = Array.from(new Set(metricNames), (name) => {
    const column = board.metrics.findIndex((metric) => metric.name === name);
    if (column === -1) throw unknownMetric(name);
    return column;
  });
  if (columns.length < 2) {
    throw new DomainError('invalid', 'too_few_metrics', 'A Pareto front requires at least two different metrics.');
  }
  const rows = Int32Array.from(board.ids.keys()).filter((row) =>
    columns.every((column) => !Number.isNaN(board.utilities[row * board.metrics.length + column])),
  );
  return undominated(board, rows, columns).sort();
}

/**
 * Returns the rows that no other of them dominates in the utilities of these columns. Rows are
 * visited by descending sum, so that a row can only be dominated by an earlier one. Each row is
 * therefore compared only with the front so far.
 */
export function undominated(board: Board, rows: Int32Array, columns: readonly number[]): Int32Array {
  const width = columns.length;
  const points = new Float64Array(rows.length * width);
  const sums = new Float64Array(rows.length);
  for (let index = 0; index < rows.length; index++) {
    for (const [place, column] of columns.entries()) {
      const utility = board.utilities[rows[index]! * board.metrics.length + column]!;
      points[index * width + place] = utility;
      sums[index]! += utility;
    }
  }

  const front = new Int32Array(rows.length);
  let count = 0;
  for (const index of visitingOrder(points, sums, width)) {
    let isDominated = false;
    for (let place = 0; place < count && !isDominated; place++) {
      isDominated = dominates(points, front[place]! * width, index * width, width);
    }
    if (!isDominated) front[count++] = index;
  }
  return front.subarray(0, count).map((index) => rows[index]!);
}

/**
 * Orders rows by descending sum. If rounding makes two sums equal, orders them by their columns, so
 * that a dominating row still comes first.
 */
function visitingOrder(points: Float64Array, sums: Float64Array, width: number): Int32Array {
  const order = descendingOrder(sums);
  const byColumns = (a: number, b: number): number => {
    for (let column = 0; column < width; column++) {
      const [x, y] = [points[a * width + column]!, points[b * width + column]!];
      if (x !== y) return x > y ? -1 : 1;
    }
    return a - b;
  };
  for (let start = 0, end = 1; start < order.length; start = end) {
    end = start + 1;
    while (end < order.length && sums[order[end]!] === sums[order[start]!]) end++;
    if (end - start > 1) order.subarray(start, end).sort(byColumns);
  }
  return order;
}

function dominates(points: Float64Array, upper: number, lower: number, width: number): boolean {
  let isBetter = false;
  for (let column = 0; column < width; column++) {
    const a = points[upper + column]!;
    const b = points[lower + column]!;
    if (a < b) return false;
    if (a > b) isBetter = true;
  }
  return isBetter;
}
