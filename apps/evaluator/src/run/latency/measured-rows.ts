import type { Rng } from '@assay/kernel';
import { MINIMUM_SAMPLES } from '@assay/scoring/costs';
import type { InputRow } from '../../gateway/leased-run.js';
import { shuffled, type RowWindow } from '../data/row-windows.js';
import type { SampledRow } from './timed-sample.js';

/** Approximate number of examples, of all datasets together, in a run that only measures. */
export const MEASURED_ROWS = 10_000;
/**
 * Maximum size of the instances of one dataset, in UTF-16 units: rows with images must not fill the
 * memory.
 */
const TEXT = 64_000_000;
const WINDOW_ROWS = 256;

/** The number of rows of the first requests, as before an evaluation. */
export const FIRST_ROWS = 129;
/** The first requests, and at most 8 batches until the times are steady. */
const WARM_UP_ROWS = FIRST_ROWS + 8 * 64;
const LATENCY_ROWS = MINIMUM_SAMPLES[99];
const PASSES = 3;
/** The number of rows from which an offline pass is not short. */
export const PASS_ROWS = 512;
/** The number of different inputs that a measurement needs. */
export const NEEDED_ROWS = WARM_UP_ROWS + LATENCY_ROWS + PASSES * PASS_ROWS;
/** The smallest number of rows for which an offline pass of its own is made. */
const SMALLEST_PASS = 128;

/** The index of a row that is in no dataset, so that no stored answer belongs to it. */
const VARIANT = -1;

/**
 * The inputs of a measurement. Each is sent once in a session, so that a model that caches its answers gains
 * nothing.
 */
export interface MeasuredRows {
  readonly warmUp: readonly SampledRow[];
  /** Sent one at a time. */
  readonly latency: readonly SampledRow[];
  /** Sent in batches: one list for each offline pass. */
  readonly passes: readonly (readonly SampledRow[])[];
}

/** Returns the rows without those whose input came before. */
export function differentRows(rows: readonly SampledRow[]): SampledRow[] {
  const seen = new Set<string>();
  return rows.filter(({ row }) => seen.size < seen.add(row.instance).size);
}

/** Returns a variant of an input of a dataset as a row. */
export const variantRow = (evaluation: string, instance: string): SampledRow => ({
  evaluation,
  row: { index: VARIANT, instance },
});

/**
 * Divides different rows, in random order. Variants come first in the warm-up, because the answers to the
 * others can be compared with those that were scored. With fewer than `NEEDED_ROWS` rows, each part has its
 * share, and the latency pass enough for the median if half of the rows suffice.
 */
export function dividedRows(rows: readonly SampledRow[], rng: Rng): MeasuredRows {
  const mixed = Array.from(shuffled(rows.length, rng), (place) => rows[place]!);
  const share = Math.min(1, rows.length / NEEDED_ROWS);
  const warmUp = [...mixed.filter(isVariant), ...mixed.filter((row) => !isVariant(row))].slice(
    0,
    Math.max(1, Math.floor(share * WARM_UP_ROWS)),
  );
  const warm = new Set(warmUp);
  const timed = mixed.filter((row) => !warm.has(row));
  const median = Math.min(MINIMUM_SAMPLES[50], timed.length >> 1);
  const latency = timed.slice(0, Math.max(median, Math.floor(share * LATENCY_ROWS)));
  const rest = timed.slice(latency.length);
  const passes = Math.max(1, Math.min(PASSES, Math.floor(rest.length / SMALLEST_PASS)));
  const size = Math.ceil(rest.length / passes);
  return {
    warmUp,
    latency,
    passes: Array.from({ length: passes }, (_, pass) => rest.slice(pass * size, (pass + 1) * size)),
  };
}

const isVariant = ({ row }: SampledRow): boolean => row.index === VARIANT;

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
