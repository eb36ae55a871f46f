import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchRow } from '../bench.js';
import { forgetPeak, MIB, peakMemory } from '../process-memory.js';
import { figure, inTurn, median, range } from '../samples.js';
import type { GrowthRows } from './growth-rows.js';
import { succeeded } from './requests.js';

/** The board of many models: its size, its publication, and the first answer after a publication. */
export const boardRows: GrowthRows = async (context, { service, size, task, board }) => {
  const { worker } = service.world;
  const whole = await succeeded({ service }, { path: `/tasks/${task}/leaderboard` });
  const publish = async (round: number): Promise<number> => {
    const before = await board.revision();
    await board.rescoreOne(round);
    const started = performance.now();
    while ((await board.revision()) === before) await sleep(5);
    return (performance.now() - started) / 1000;
  };
  forgetPeak(worker.pid);
  const { published, first } = await inTurn(context, context.rounds ?? (context.quick ? 1 : 3), 's', {
    published: publish,
    first: async () => (await succeeded({ service }, { path: `/tasks/${task}/leaderboard?limit=100` })).ms / 1000,
  });
  const peak = peakMemory(worker.pid) / MIB;
  const models = `${size.models.toLocaleString('en-US')} models`;
  const rows: BenchRow[] = [
    {
      what: 'board without `limit`: size of the answer',
      goal: '100 rows by default',
      measured: `${figure(whole.bytes / 1e6)} MB`,
      reached: null,
    },
    {
      what: 'the first board after a publication',
      goal: '≤ 300 ms',
      measured: `${figure(1000 * median(first))} ms`,
      reached: median(first) <= 0.3,
    },
    {
      what: `publication of ${models}`,
      goal: '≤ 5 s, ≤ 500 MB',
      measured: `${figure(median(published))} s (${range(published)}), peak ${figure(peak)} MiB`,
      reached: median(published) <= 5 && peak <= 500,
    },
  ];
  return rows;
};
