import { type ChildProcess, spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { standardDeviation } from '@assay/scoring/metrics';
import type { Bench } from './bench.js';
import { examplesFile } from './examples-file.js';
import { figure, median, range } from './samples.js';
import { costlyBundle, packed } from './submissions.js';

/**
 * How much the costs of one model depend on what else the host does: answer runs of the same ONNX
 * model, each with another number of busy processes beside it.
 */
export const costsBench: Bench = {
  name: 'costs',
  async run({ quick, rounds, folder, service: started, say }) {
    const examples = await examplesFile(folder, quick ? 2_000 : 20_000, 'costs');
    const artifact = await packed(await costlyBundle(folder, 16, 1));
    const service = await started();
    const cpuTimes: number[] = [];
    const throughputs: number[] = [];
    const runs = rounds ?? (quick ? 3 : 10);
    for (let run = 0; run < runs; run++) {
      const busy = run % (availableParallelism() + 1);
      const load = Array.from({ length: busy }, startLoad);
      try {
        // a task of its own, so that the model runs again
        const { model } = await service.evaluate(await service.task(examples), 'onnx', artifact);
        const { cpu_time, throughput } = model.evaluations[0]!.measures;
        if (typeof cpu_time !== 'number' || typeof throughput !== 'number') throw new Error('the run has no costs');
        cpuTimes.push(1000 * cpu_time);
        throughputs.push(throughput);
        say(`  ${busy} busy processes: ${figure(1000 * cpu_time)} ms/example, ${figure(throughput)} examples/s`);
      } finally {
        for (const process of load) process.kill();
      }
    }
    const cpu = variation(cpuTimes);
    return [
      {
        what: `CPU time per example in ${runs} answer runs of one model, with 0 to ${availableParallelism()} busy processes beside it: coefficient of variation`,
        goal: '≤ 10%',
        measured: `${percent(cpu)} (median ${figure(median(cpuTimes))} ms/example, ${range(cpuTimes)})`,
        reached: cpu <= 0.1,
      },
      {
        what: 'throughput in the same runs: coefficient of variation',
        goal: '',
        measured: `${percent(variation(throughputs))} (median ${figure(median(throughputs))} examples/s, ${range(throughputs)})`,
        reached: null,
      },
    ];
  },
};

const startLoad = (): ChildProcess => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' });

/** Returns the coefficient of variation: the standard deviation over the mean. */
const variation = (samples: readonly number[]): number =>
  (standardDeviation(samples)! * samples.length) / samples.reduce((sum, each) => sum + each, 0);

const percent = (share: number): string => `${(100 * share).toFixed(1)}%`;
