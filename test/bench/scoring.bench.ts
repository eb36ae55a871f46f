import { seededRng } from '@assay/kernel';
import {
  aggregateMatrix,
  calibrate,
  meanResamples,
  MetricAccumulator,
  prepareBoard,
  rankBoard,
  type BoardMetric,
  type BoardRow,
  type Slicing,
} from '@assay/scoring';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Bench, BenchRow } from './bench.js';
import { LABELS } from './bench-service.js';
import { figure, inTurn, median, range, seconds } from './samples.js';

const DATASETS = 50;
const EXAMPLES = 10_000;
const MODELS = 10_000;
const METRICS: readonly BoardMetric[] = [
  { name: 'accuracy', unit: 'ratio', direction: 'higher' },
  { name: 'macro_f1', unit: 'ratio', direction: 'higher' },
  { name: 'fairness', unit: 'ratio', direction: 'higher' },
  { name: 'robustness', unit: 'ratio', direction: 'higher' },
  { name: 'throughput', unit: 'examples/s', direction: 'higher' },
  { name: 'memory', unit: 'GiB', direction: 'lower', limit: 16 },
];

/** What the API and the evaluator compute with numbers alone, on one core. */
export const scoringBench: Bench = {
  name: 'scoring',
  async run(context) {
    const rounds = context.rounds ?? (context.quick ? 3 : 9);
    const rng = seededRng('scoring');
    const evaluations = Array.from({ length: DATASETS }, (_, dataset) => accumulated(dataset));
    const rows = Array.from({ length: MODELS }, (_, model): BoardRow => ({
      id: `model-${model}`,
      metrics: Object.fromEntries(METRICS.map(({ name }) => [name, rng.next()])),
    }));
    const board = prepareBoard(rows, METRICS, 'accuracy');
    const weights = Object.fromEntries(METRICS.map(({ name }, index) => [name, index + 1]));
    const calibration = calibrate(board, weights, 'median');
    const cells = METRICS.map(() => Float64Array.from({ length: MODELS * DATASETS }, () => rng.next()));
    const right = Uint8Array.from({ length: EXAMPLES }, () => rng.below(2));
    const sliced = accumulated(0, [{ field: 'topic' }]);

    const samples = await inTurn(context, rounds, 'ms', {
      intervals: () => milliseconds(() => evaluations.forEach((each) => each.result())),
      resamples: (round) => milliseconds(() => meanResamples(right, null, String(round))),
      complete: () => milliseconds(() => sliced.complete(nextTurn)),
      ranking: (round) => milliseconds(() => rankBoard(board, { ...weights, accuracy: 1 + round }, calibration)),
      datasetWeights: (round) =>
        milliseconds(() => {
          const perDataset = Float64Array.from({ length: DATASETS }, (_, dataset) => 1 + ((dataset + round) % 7));
          return cells.map((values) => aggregateMatrix(values, perDataset));
        }),
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
      row('rank 10,000 models × 6 metrics by new weights', samples.ranking, 1),
      row('aggregate 10,000 models × 50 datasets × 6 metrics by new dataset weights', samples.datasetWeights, 16),
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
