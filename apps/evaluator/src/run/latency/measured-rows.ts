import type { Rng } from '@assay/kernel';
import type { InputRow } from '../../gateway/leased-run.js';
import type { RowWindow } from '../data/row-windows.js';

/** Approximate number of examples, of all datasets together, in a run that only measures. */
export const MEASURED_ROWS = 10_000;
/**
 * Maximum size of the instances of one dataset, in UTF-16 units: rows with images must not fill the
 * memory.
 */
const TEXT = 64_000_000;
const WINDOW_ROWS = 256;

/** Draws rows of a dataset, each with probability `share`. */
export async function drawRows(windows: AsyncIterable<RowWindow>, share: number, rng: Rng): Promise<InputRow[]> {
  const drawn: InputRow[] = [];
  let text = 0;
  for await (const { rows } of windows) {
    for (const row of rows) {
      if (rng.next() >= share) continue;
      drawn.push(row);
      text += row.instance.length;
      if (text > TEXT) return drawn;
    }
  }
  return drawn;
}

/**
 * Yields the rows in small windows until `seconds` have passed since the first: a slow model is
 * measured on fewer rows.
 */
export async function* timedWindows(
  rows: readonly InputRow[],
  seconds: number,
  now: () => number = () => performance.now(),
): AsyncGenerator<RowWindow> {
  const end = now() + seconds * 1000;
  for (let start = 0; start < rows.length; start += WINDOW_ROWS) {
    if (start > 0 && now() > end) return;
    yield await Promise.resolve({ rows: rows.slice(start, start + WINDOW_ROWS) });
  }
}
