import { DifferenceThreads } from '@assay/leaderboard/comparison';
import { differenceWork } from '../factories/models/difference-work.js';
import type { Bench } from './bench.js';
import { figure, inTurn, median, range, seconds } from './samples.js';

const METRICS = [
  'accuracy',
  'macro_f1',
  'micro_f1',
  'weighted_f1',
  'balanced_accuracy',
  'mcc',
  'auroc',
  'brier',
  'log_loss',
  'ece',
];
const DATASETS = 3;
/** The size of the largest development set of Adversarial NLI. */
const EXAMPLES = 1_200;
const SLICES = 20;
const GOAL = 2;

/** Two models compared on stored answers, as the API does it in its threads. */
export const compareBench: Bench = {
  name: 'compare',
  async run(context) {
    const rounds = context.rounds ?? (context.quick ? 2 : 9);
    const examples = context.quick ? 300 : EXAMPLES;
    const works = await Promise.all(
      Array.from({ length: DATASETS }, (_, dataset) =>
        differenceWork(context.folder, { name: `compare-${dataset}`, examples, metrics: METRICS, slices: SLICES / 2 }),
      ),
    );
    const threads = new DifferenceThreads();
    try {
      const compare = () => Promise.all(works.map((work) => threads.compute(work)));
      // starts the threads
      await compare();
      const samples = await inTurn(context, rounds, 's', { compare: () => seconds(compare) });
      return [
        {
          what: `compare two models: ${METRICS.length} metrics × ${DATASETS} datasets of ${examples} examples × ${SLICES} slices`,
          goal: `≤ ${GOAL} s`,
          measured: `${figure(median(samples.compare))} s (${range(samples.compare)})`,
          reached: median(samples.compare) <= GOAL,
        },
      ];
    } finally {
      await threads.close();
    }
  },
};
