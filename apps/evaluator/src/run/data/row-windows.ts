import type { Rng } from '@assay/kernel';
import type { InputRow } from '../../gateway/leased-run.js';

/**
 * Number of rows within which the order is shuffled. Shuffling a whole dataset would require it in
 * memory.
 */
export const WINDOW_ROWS = 8_192;
/**
 * Maximum size of the instances in a window, in UTF-16 units, so that rows with images do not fill
 * the memory.
 */
const WINDOW_TEXT = 32_000_000;

/** Consecutive rows of a dataset. */
export interface RowWindow {
  readonly rows: readonly InputRow[];
}

/** Groups the rows of a dataset into windows. */
export async function* rowWindows(groups: AsyncIterable<readonly InputRow[]>): AsyncGenerator<RowWindow> {
  let rows: InputRow[] = [];
  let text = 0;
  for await (const group of groups) {
    for (const row of group) {
      rows.push(row);
      text += row.instance.length;
      if (rows.length < WINDOW_ROWS && text < WINDOW_TEXT) continue;
      yield { rows };
      rows = [];
      text = 0;
    }
  }
  if (rows.length > 0) yield { rows };
}

/** Returns the numbers below `count` in a random order (Fisher–Yates shuffle). */
export function shuffled(count: number, rng: Rng): Uint32Array {
  const order = Uint32Array.from({ length: count }, (_, index) => index);
  for (let last = count - 1; last > 0; last--) {
    const other = rng.below(last + 1);
    const kept = order[last]!;
    order[last] = order[other]!;
    order[other] = kept;
  }
  return order;
}
