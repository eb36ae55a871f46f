import { describe, expect, it } from '@jest/globals';
import { Contention } from './contention.js';
import { Costs } from './costs.js';

const START = {
  latency: {
    p50: { low: 1, value: 2 },
    p90: { low: 3, value: 4 },
    p95: { low: 5, value: 6 },
    p99: null,
    ...{ count: 130, bins: [] },
  },
  coldStart: 500,
  hardware: 'a machine',
  contended: false,
};

/** A sandbox whose CPU counter and contention the test sets. */
class Counted {
  cpu: number | null = 0;
  disturbed = false;
  readonly cpuSeconds = () => Promise.resolve(this.cpu);
  readonly contended = () => Promise.resolve(this.disturbed);
  readonly memory = () => Promise.resolve({ peak: 2 ** 30, cgroupPeak: null });
}

const costsOf = (sandbox: Counted) => new Costs(sandbox, new Contention(sandbox), START);

describe('Costs', () => {
  it('counts the CPU time of the passes alone, for each of their examples', async () => {
    const sandbox = new Counted();
    const costs = costsOf(sandbox);
    sandbox.cpu = 40;
    await costs.begin();
    sandbox.cpu = 42;
    await costs.add({ examples: 300, seconds: 3 });
    sandbox.cpu = 100;
    await costs.begin();
    sandbox.cpu = 102;
    await costs.add({ examples: 100, seconds: 1 });
    sandbox.cpu = 200;

    expect(await costs.measures()).toMatchObject({
      ...{ cpu_time: 4 / 400, throughput: 100, memory: 1 },
      ...{ latency_p50: 2, latency_p95: 6, latency_p99: null },
      latency_low: { latency_p50: 1, latency_p90: 3, latency_p95: 5, latency_p99: null },
    });
  });

  it('ignores a pass that has failed', async () => {
    const sandbox = new Counted();
    const costs = costsOf(sandbox);
    await costs.begin();
    sandbox.cpu = 70;
    await costs.begin();
    sandbox.cpu = 71;
    await costs.add({ examples: 10, seconds: 1 });

    expect(await costs.measures()).toMatchObject({ cpu_time: 0.1 });
  });

  it('has no CPU time where one pass has no counter', async () => {
    const sandbox = new Counted();
    const costs = costsOf(sandbox);
    await costs.begin();
    sandbox.cpu = null;
    await costs.add({ examples: 10, seconds: 1 });
    sandbox.cpu = 5;
    await costs.begin();
    await costs.add({ examples: 10, seconds: 1 });

    expect(await costs.measures()).toMatchObject({ cpu_time: null, throughput: 10 });
  });

  it('is contended by what happens during a pass, not before it', async () => {
    const sandbox = new Counted();
    const costs = costsOf(sandbox);
    sandbox.disturbed = true;
    await costs.begin();
    sandbox.disturbed = false;
    expect(await costs.add({ examples: 10, seconds: 1 })).toBe(false);
    expect(await costs.measures()).toMatchObject({ contended: false });

    await costs.begin();
    sandbox.disturbed = true;
    expect(await costs.add({ examples: 10, seconds: 1 })).toBe(true);
    expect(await costs.measures()).toMatchObject({ contended: true });
  });

  it('is nothing without a pass', async () => {
    expect(await costsOf(new Counted()).measures()).toBeNull();
  });
});
