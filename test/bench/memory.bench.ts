import type { Bench } from './bench.js';
import { examplesFile } from './examples-file.js';
import { forgetPeak, MIB, peakMemory } from './process-memory.js';
import { figure, inTurn, median } from './samples.js';
import { nullImage } from './submissions.js';

/** The evaluator's memory during a run must not depend on the size of the dataset. */
export const memoryBench: Bench = {
  name: 'memory',
  async run(context) {
    const { quick, rounds, folder } = context;
    const [few, many] = quick ? [1_000, 20_000] : [10_000, 1_000_000];
    const { world, ...service } = await bench();
    const image = await nullImage(folder, 'hashed', 'memory');
    // admitted once, so that the measured runs consist of the evaluation alone
    await service.evaluate(await service.task(await examplesFile(folder, 200, 'memory')), image);

    const peakOf = async (rows: number): Promise<number> => {
      const task = await service.task(await examplesFile(folder, rows, 'memory'));
      await world.stopEvaluator();
      await world.startEvaluator();
      forgetPeak(world.evaluator.pid);
      await service.evaluate(task, image);
      return peakMemory(world.evaluator.pid) / MIB;
    };
    const { small, large } = await inTurn(context, rounds ?? (quick ? 1 : 2), 'MiB at most', {
      small: () => peakOf(few),
      large: () => peakOf(many),
    });

    const ratio = median(large) / median(small);
    const sizes = `${few.toLocaleString('en-US')} → ${many.toLocaleString('en-US')}`;
    return [
      {
        what: `the evaluator's peak memory, ${sizes} examples`,
        goal: '≤ 1.5 ×',
        measured: `${figure(ratio)} × (${figure(median(small))} → ${figure(median(large))} MiB)`,
        reached: ratio <= 1.5,
      },
    ];

    async function bench() {
      const started = await context.service();
      return {
        world: started.world,
        task: (examples: string) => started.task(examples),
        evaluate: (task: string, path: string) => started.evaluate(task, 'container', path),
      };
    }
  },
};
