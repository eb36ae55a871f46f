import type { Rng } from '@assay/kernel';
import { MINIMUM_SAMPLES } from '@assay/scoring/costs';
import type { InputRow } from '../../gateway/leased-run.js';
import { shuffled, type RowWindow } from '../data/row-windows.js';

/** A dataset with the rows that samples are drawn from. */
export interface SampledDataset {
  /** ID of the evaluation. */
  readonly id: string;
  readonly examples: number;
  /** The first window of the dataset. */
  readonly window: RowWindow;
}

export interface SampledRow {
  readonly evaluation: string;
  readonly row: InputRow;
}

/** The inputs of the latency pass and of the warm-up before it. */
export interface TimedSample {
  /** Distinct inputs of all datasets, in proportion to their sizes, in random order. */
  readonly latency: readonly SampledRow[];
  readonly warmUp: readonly string[];
}

const LARGEST = MINIMUM_SAMPLES[99];
const SMALLEST = MINIMUM_SAMPLES[50];
const WARM_UP_ROWS = 129;

/**
 * Draws the inputs that are timed individually: at most half of the examples if there are enough. A
 * model that caches its inputs then does not see all of them again in the offline pass.
 */
export function timedSample(datasets: readonly SampledDataset[], rng: Rng): TimedSample {
  const total = datasets.reduce((sum, { examples }) => sum + examples, 0);
  const size = Math.min(LARGEST, Math.max(SMALLEST, Math.floor(total / 2)));
  const seen = new Set<string>();
  const latency: SampledRow[] = [];
  const spare: string[] = [];

  for (const { id, examples, window } of datasets) {
    let wanted = Math.ceil((size * examples) / total);
    for (const place of shuffled(window.rows.length, rng)) {
      const row = window.rows[place]!;
      if (seen.has(row.instance)) continue;
      if (wanted === 0 && spare.length >= WARM_UP_ROWS) break;
      seen.add(row.instance);
      if (wanted > 0) {
        latency.push({ evaluation: id, row });
        wanted--;
      } else spare.push(row.instance);
    }
  }

  const order = shuffled(latency.length, rng);
  const mixed = Array.from(order, (place) => latency[place]!).slice(0, size);
  // a benchmark too small to have spare inputs is warmed up with the timed ones
  const own = mixed.map(({ row }) => row.instance);
  const warmUp = Array.from(shuffled(spare.length, rng), (place) => spare[place]!).slice(0, WARM_UP_ROWS);
  return { latency: mixed, warmUp: warmUp.length > 0 ? warmUp : own.slice(0, WARM_UP_ROWS) };
}
