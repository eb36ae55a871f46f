import { seededRng } from '@assay/kernel';
import { meanResamples, MetricAccumulator, type Slicing } from '@assay/scoring';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Bench, BenchRow } from './bench.js';
import { LABELS } from './bench-service.js';
import { figure, inTurn, median, range, seconds } from './samples.js';

const DATASETS = 50;
const EXAMPLES = 10_000;
/** The evaluator's numerical work, on one core. */
export const scoringBench: Bench = {
  name: 'scoring',
  async run(context) {
    const rounds = context.rounds ?? (context.quick ? 3 : 9);
    const rng = seededRng('scoring');
    const evaluations = Array.from({ length: DATASETS }, (_, dataset) => accumulated(dataset));
    const right = Uint8Array.from({ length: EXAMPLES }, () => rng.below(2));
    const sliced = accumulated(0, [{ field: 'topic' }]);

    const samples = await inTurn(context, rounds, 'ms', {
      intervals: () => milliseconds(() => evaluations.forEach((each) => each.result())),
      resamples: (round) => milliseconds(() => meanResamples(right, null, String(round))),
      complete: () => milliseconds(() => sliced.complete(nextTurn)),
    });
    const row = (what: string, taken: readonly number[], goal: number): BenchRow => ({
      what,
      goal: goal >= 1_000 ? `≤ ${goal / 1_000} s` : `≤ ${goal} ms`,
      measured: `${figure(median(taken))} ms (${range(taken)})`,
      reached: median(taken) <= goal,
    });
    return [
      row(
        'accuracy and macro F1 with intervals: 50 datasets × 10,000 examples × 1,000 resamples',
        samples.intervals,
        1_000,
      ),
      row('resampled values of a mean: 10,000 examples × 1,000 resamples', samples.resamples, 40),
      {
        what: 'all scores of a dataset of 10,000 examples: 2 metrics, 8 slices, gaps by chance, resampled values',
        goal: '–',
        measured: `${figure(median(samples.complete))} ms (${range(samples.complete)})`,
        reached: null,
      },
    ];
  },
};

function accumulated(dataset: number, slices: readonly Slicing[] = []): MetricAccumulator {
  const rng = seededRng(`scoring/${dataset}`);
  const accumulator = new MetricAccumulator({ metrics: ['accuracy', 'macro_f1'], seed: String(dataset), slices });
  for (let example = 0; example < EXAMPLES; example++) {
    const topic = [String(example % 8)];
    accumulator.add({ gold: [LABELS[rng.below(3)]!], predicted: LABELS[rng.below(3)]!, slices: { topic } });
  }
  return accumulator;
}

const milliseconds = async (work: () => unknown): Promise<number> => 1000 * (await seconds(work));
