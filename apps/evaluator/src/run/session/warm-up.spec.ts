import { describe, expect, it } from '@jest/globals';
import type { AskOutcome, ModelSession } from './model-session.js';
import { TimeBudget } from './time-budget.js';
import { warmUpUntilSteady } from './warm-up.js';

describe('warmUpUntilSteady', () => {
  /** Returns the sizes of the batches that a model gets whose batches take these milliseconds, null: it fails. */
  async function batches(times: readonly (number | null)[], rows = 640): Promise<number[]> {
    const asked: number[] = [];
    const ask = (instances: readonly string[]): Promise<AskOutcome> => {
      const milliseconds = times[asked.length] ?? null;
      asked.push(instances.length);
      return Promise.resolve(
        milliseconds === null
          ? { kind: 'fault', fault: { kind: 'exited', code: 1 } }
          : { kind: 'answers', answers: [], milliseconds },
      );
    };
    await warmUpUntilSteady({
      session: { ask } as unknown as ModelSession,
      instances: Array<string>(rows).fill('{}'),
      budget: new TimeBudget(60, 10),
      signal: new AbortController().signal,
    });
    return asked;
  }

  it('ends when two successive batches differ by less than 5%', async () => {
    expect(await batches([100, 50, 48, 1, 1])).toEqual([64, 64, 64]);
    expect(await batches([100, 106, 112, 113, 1])).toEqual([64, 64, 64, 64]);
  });

  it('ends with the rows, or when the model fails', async () => {
    expect(await batches([8, 7, 6, 5, 4], 150)).toEqual([64, 64, 22]);
    expect(await batches([8, null, 6])).toEqual([64, 64]);
    expect(await batches([], 0)).toEqual([]);
  });
});
