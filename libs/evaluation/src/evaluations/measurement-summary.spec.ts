import type { Measures } from '@assay/contracts/metrics';
import { describe, expect, it } from '@jest/globals';
import { summarizeMeasures } from './measurements.js';

const measured = (throughput: number, more: Partial<Measures> = {}): Measures => ({
  throughput,
  latency_p50: throughput / 100,
  latency_p90: null,
  latency_p95: null,
  latency_p99: null,
  latency_count: 64,
  memory: 0.5,
  memory_cgroup: null,
  cold_start: 100,
  contended: false,
  hardware: 'a',
  ...more,
});

describe('summarizeMeasures', () => {
  it('is nothing without a measurement, and one alone says that it has no spread', () => {
    expect(summarizeMeasures([])).toBeNull();
    expect(summarizeMeasures([measured(100)])).toEqual({ ...measured(100), floor: null, repeats: 1, spread: null });
  });

  it('is the median of each figure, with its standard deviation', () => {
    const summary = summarizeMeasures([measured(100), measured(400), measured(130, { latency_p90: 7 })]);
    expect(summary).toMatchObject({ throughput: 130, latency_p50: 1.3, latency_p90: 7, repeats: 3 });
    expect(summary!.spread!.throughput).toBeCloseTo(165.227, 3);
    expect(summary!.spread).toMatchObject({ memory: 0, latency_p90: null, latency_p99: null });
  });

  it('leaves out what was disturbed, unless everything was: then the newest stands, marked', () => {
    const disturbed = (throughput: number) => measured(throughput, { contended: true });
    expect(summarizeMeasures([disturbed(1), measured(100), disturbed(2)])).toMatchObject({
      throughput: 100,
      contended: false,
      repeats: 1,
    });
    expect(summarizeMeasures([disturbed(1), disturbed(2)])).toMatchObject({
      throughput: 2,
      contended: true,
      repeats: 1,
      spread: null,
    });
  });

  it('never mixes hardware classes: the newest that was undisturbed decides', () => {
    const elsewhere = (throughput: number, contended = false) => measured(throughput, { hardware: 'b', contended });
    expect(summarizeMeasures([measured(100), elsewhere(50), elsewhere(70)])).toMatchObject({
      hardware: 'b',
      throughput: 60,
      repeats: 2,
    });
    expect(summarizeMeasures([measured(100), elsewhere(50, true)])).toMatchObject({ hardware: 'a', throughput: 100 });
  });

  it('has the latencies of all that counts in the same bins', () => {
    const bins = (n: number) => ({ latency_bins: [{ low: 1, high: 2, n }] });
    const all = [measured(1, bins(70)), measured(2, { ...bins(9), contended: true }), measured(3, bins(80))];
    expect(summarizeMeasures(all)!.latency_bins).toEqual([{ low: 1, high: 2, n: 150 }]);
  });

  it('has the median of the floors that were taken', () => {
    const floor = (p50: number) => ({
      latency_p50: p50,
      latency_p90: null,
      latency_p95: null,
      latency_p99: null,
      count: 100,
    });
    const all = [measured(1, { floor: floor(0.2) }), measured(2, { floor: null }), measured(3, { floor: floor(0.4) })];
    expect(summarizeMeasures(all)!.floor).toEqual({ ...floor(0.3), latency_p50: expect.closeTo(0.3, 9) });
  });
});
