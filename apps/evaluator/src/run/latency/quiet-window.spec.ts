import { TaskDefinition, type TaskDefinitionInput } from '@assay/contracts/tasks';
import { describe, expect, it } from '@jest/globals';
import type { MeasuringLocks } from '../../host/measuring-locks.js';
import { QuietWindow, weighsCosts } from './quiet-window.js';
import { TimeBudget } from '../session/time-budget.js';

const task = (given: Partial<TaskDefinitionInput> = {}): TaskDefinition =>
  TaskDefinition.parse({
    slug: 'sentiment',
    name: 'Sentiment',
    inputs: [{ name: 'text', type: 'text' }],
    output: { name: 'label', type: 'label', labels: ['positive', 'negative'] },
    performance: 'accuracy',
    ...given,
  });
const never = new AbortController().signal;

describe('what keeps models in the loop still', () => {
  it.each<[string, Partial<TaskDefinitionInput>, boolean]>([
    ['by default', {}, true],
    ['by a weight of a cost', { weights: { accuracy: 1, latency_p50: 0.1 } }, true],
    ['by a bound of the loop', { weights: { accuracy: 1 }, loop: { maximum: { memory: 2 } } }, true],
    ['not without', { weights: { accuracy: 1 }, loop: { minimum: { accuracy: 0.5 } } }, false],
    ['not by a weight of 0', { weights: { accuracy: 1, throughput: 0, memory: 0 } }, false],
  ])('costs are weighed %s', (_, given, weighed) => {
    expect(weighsCosts(task(given))).toBe(weighed);
  });

  it('is held for as long as the work takes, whether that ends well or not', async () => {
    const budget = new TimeBudget(60, 10);
    let held = 0;
    const timed: MeasuringLocks['timed'] = () => {
      held++;
      return Promise.resolve({ release: () => Promise.resolve(void (held -= 1)) });
    };
    const still = new QuietWindow(task(), never, { timed });

    expect(await still.during(budget, () => Promise.resolve(held))).toBe(1);
    expect(held).toBe(0);
    await expect(still.during(budget, () => Promise.reject(new Error('it died')))).rejects.toThrow('it died');
    expect(held).toBe(0);
  });

  it('costs the model no time while it is waited for', async () => {
    let now = 0;
    const budget = new TimeBudget(60, 10, () => now);
    const timed: MeasuringLocks['timed'] = () => {
      now += 50_000;
      return Promise.resolve({ release: () => Promise.resolve() });
    };

    await new QuietWindow(task(), never, { timed }).during(budget, () => Promise.resolve((now += 5_000)));

    expect(budget.left).toBe(55);
  });

  it('continues where the others do not come to rest, and ends where the run has to', async () => {
    const timed: MeasuringLocks['timed'] = (signal) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      });
    const budget = new TimeBudget(60, 10);
    expect(await new QuietWindow(task(), never, { timed }, 1).during(budget, () => Promise.resolve('done'))).toBe(
      'done',
    );

    const leaving = new AbortController();
    const work = new QuietWindow(task(), leaving.signal, { timed }).during(budget, () => Promise.resolve('done'));
    leaving.abort(new Error('the lease is lost'));
    await expect(work).rejects.toThrow('the lease is lost');
  });

  it('does not hide that the host has no such lock', async () => {
    const timed: MeasuringLocks['timed'] = () => Promise.reject(new Error('no sockets'));
    const still = new QuietWindow(task(), never, { timed });
    await expect(still.during(new TimeBudget(60, 10), () => Promise.resolve())).rejects.toThrow('no sockets');
  });
});
