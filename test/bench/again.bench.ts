import { isDeepStrictEqual } from 'node:util';
import type { ModelView } from '@assay/contracts/models';
import type { Bench } from './bench.js';
import { ContainerStarts } from './container-starts.js';
import { examplesFile } from './examples-file.js';
import { figure, inTurn, median } from './samples.js';
import { costlyBundle, packed } from './submissions.js';

/** A repeated submission whose run specification was evaluated before. */
export const againBench: Bench = {
  name: 'again',
  async run(context) {
    const { quick, rounds, folder, say } = context;
    const rows = quick ? 5_000 : 100_000;
    const examples = await examplesFile(folder, rows, 'again');
    const service = await context.service();
    const starts = await ContainerStarts.watch(service.world.engine, service.world.instance);
    const scores: Record<'first' | 'again', unknown[]> = { first: [], again: [] };
    const started: Record<'first' | 'again', number> = { first: 0, again: 0 };
    const tasks: string[] = [];

    const submit = async (arm: 'first' | 'again', round: number): Promise<number> => {
      const before = starts.count;
      const bundle = await packed(await costlyBundle(folder, 32, 100 + round));
      const { model, secondsToAccuracy } = await service.evaluate(tasks[round]!, 'onnx', bundle);
      started[arm] += starts.count - before;
      scores[arm].push(scoresOf(model));
      return secondsToAccuracy;
    };
    const samples = await inTurn(context, rounds ?? (quick ? 1 : 2), 's from the submission to its scores', {
      first: async (round) => {
        tasks[round] = await service.task(examples);
        return submit('first', round);
      },
      again: (round) => submit('again', round),
    });
    starts.close();

    const same = isDeepStrictEqual(scores.first, scores.again);
    const share = median(samples.again) / median(samples.first);
    say(`  containers started: ${started.first} for the first, ${started.again} for the same again`);
    return [
      {
        what: `the same run specification again (${rows.toLocaleString('en-US')} examples): containers started, scores, time`,
        goal: '0, same to the bit, ≤ 1%',
        measured: `${started.again}, ${same ? 'the same' : 'others'}, ${figure(100 * share)}% (${figure(1000 * median(samples.again))} ms)`,
        reached: started.again === 0 && same && share <= 0.01,
      },
    ];
  },
};

const scoresOf = ({ evaluations }: ModelView): unknown =>
  evaluations.map(({ dataset, version, metrics, measures, slices }) => ({
    dataset,
    version,
    metrics,
    measures,
    slices,
  }));
