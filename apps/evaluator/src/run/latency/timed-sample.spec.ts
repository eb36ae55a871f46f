import { seededRng } from '@assay/kernel';
import { describe, expect, it } from '@jest/globals';
import { timedSample, type SampledDataset } from './timed-sample.js';

const dataset = (id: string, examples: number, text = (index: number) => `${id} ${index}`): SampledDataset => ({
  id,
  examples,
  window: {
    rows: Array.from({ length: examples }, (_, index) => ({
      index,
      id: String(index),
      instance: JSON.stringify({ text: text(index) }),
      gold: ['a'],
      cluster: null,
      slices: {},
      matches: {},
      variant: null,
    })),
  },
});

describe('timedSample', () => {
  it('takes as many inputs as the 99th percentile needs, from each dataset in proportion', () => {
    const { latency, warmUp } = timedSample([dataset('a', 3000), dataset('b', 1000)], seededRng('x'));

    expect(latency).toHaveLength(662);
    const ofA = latency.filter(({ evaluation }) => evaluation === 'a').length;
    expect(ofA / 662).toBeCloseTo(0.75, 2);
    expect(warmUp).toHaveLength(129);
  });

  it('never times or warms up with an input twice', () => {
    const { latency, warmUp } = timedSample([dataset('a', 500, (index) => `same ${index % 200}`)], seededRng('x'));
    const instances = [...latency.map(({ row }) => row.instance), ...warmUp];

    expect(latency).toHaveLength(200);
    expect(new Set(latency.map(({ row }) => row.instance)).size).toBe(latency.length);
    expect(instances.length).toBeGreaterThan(200);
  });

  it('leaves half of a small benchmark to the offline pass, but for the least that a median needs', () => {
    expect(timedSample([dataset('a', 400)], seededRng('x')).latency).toHaveLength(200);
    expect(timedSample([dataset('a', 100)], seededRng('x')).latency).toHaveLength(64);
    expect(timedSample([dataset('a', 10)], seededRng('x')).latency).toHaveLength(10);
  });
});
