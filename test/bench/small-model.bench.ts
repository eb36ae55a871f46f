import type { Bench } from './bench.js';
import { examplesFile } from './examples-file.js';
import { figure, inTurn, median, range } from './samples.js';
import { costlyBundle, nullImage, packed } from './submissions.js';

/**
 * The time until the owner of a small model has its accuracy, and until all of its figures are
 * complete.
 */
export const smallModelBench: Bench = {
  name: 'small-model',
  async run(context) {
    const { quick, rounds, folder, say } = context;
    const rows = quick ? 1_000 : 10_000;
    const examples = await examplesFile(folder, rows, 'small');
    const service = await context.service();

    const final: Record<'container' | 'onnx', number[]> = { container: [], onnx: [] };
    const evaluate = async (kind: 'container' | 'onnx', artifact: string): Promise<number> => {
      // a new task each time, because the first model of a task also starts the null model
      const evaluated = await service.evaluate(await service.task(examples), kind, artifact);
      final[kind].push(evaluated.secondsToFinal);
      return evaluated.secondsToAccuracy;
    };
    const { container, onnx } = await inTurn(context, rounds ?? (quick ? 1 : 3), 's', {
      container: async (round) => evaluate('container', await nullImage(folder, 'hashed', `small-${round}`)),
      onnx: async (round) => evaluate('onnx', await packed(await costlyBundle(folder, 1, 1_000 + round))),
    });

    for (const kind of ['container', 'onnx'] as const) {
      say(`  ${kind}, until costs and repeat are there: ${figure(median(final[kind]))} s (${range(final[kind])})`);
    }
    const row = (what: string, samples: readonly number[]) => ({
      what: `upload of a small model → accuracy on ${rows.toLocaleString('en-US')} examples, ${what}`,
      goal: '≤ 5 s',
      measured: `${figure(median(samples))} s (${range(samples)})`,
      reached: median(samples) <= 5,
    });
    return [row('a container of 130 MB', container), row('an ONNX bundle', onnx)];
  },
};
