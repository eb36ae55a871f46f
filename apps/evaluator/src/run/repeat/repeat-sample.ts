import type { Answer } from '@assay/contracts';
import type { Rng } from '@assay/kernel';
import type { InputRow } from '../../gateway/leased-run.js';
import { shuffled } from '../data/row-windows.js';
import type { SampledDataset } from '../latency/timed-sample.js';

const SHARE = 0.05;
const LARGEST = 200;

/**
 * An example that is asked twice, with the first answer. Null: an invalid answer that the task
 * tolerates.
 */
export interface FirstAnswer {
  readonly instance: string;
  readonly answer: Answer | null;
}

/**
 * A sample of the examples whose answers are stored for comparison with a fresh container: 5%, at
 * most 200.
 */
export class RepeatSample {
  private readonly first = new Map<string, Map<number, FirstAnswer | null>>();

  /** Draws the sample from all datasets in proportion to their sizes. */
  static draw(datasets: readonly SampledDataset[], rng: Rng): RepeatSample {
    const sample = new RepeatSample();
    const total = datasets.reduce((sum, { examples }) => sum + examples, 0);
    const size = Math.min(LARGEST, Math.ceil(total * SHARE));
    let left = size;
    for (const { id, examples, window } of datasets) {
      const wanted = Math.min(left, Math.ceil((size * examples) / total));
      const places = [...shuffled(window.rows.length, rng).subarray(0, wanted)];
      sample.first.set(id, new Map(places.map((place) => [window.rows[place]!.index, null])));
      left -= places.length;
    }
    return sample;
  }

  /** Returns the callback for every answer of an evaluation. */
  listener(evaluation: string): (row: InputRow, answer: Answer | null) => void {
    const places = this.first.get(evaluation);
    return ({ index, instance }, answer) => {
      if (places?.has(index)) places.set(index, { instance, answer });
    };
  }

  /** The sampled examples that have been answered. */
  get answers(): FirstAnswer[] {
    return [...this.first.values()].flatMap((places) => [...places.values()]).filter((each) => each !== null);
  }
}
