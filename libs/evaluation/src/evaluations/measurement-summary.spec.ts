import type { Measures } from '@assay/contracts/metrics';
import { describe, expect, it } from '@jest/globals';
import type { TakenMeasurement } from './measurement.repository.js';
import { summarizeMeasures } from './measurements.js';

/** Summarises the measurements of a run that answered and of those that only measured after it. */
const summaryOf = ([first, ...more]: readonly Measures[]) =>
  summarizeMeasures([...(first ? [taken('evaluation', first)] : []), ...more.map((each) => taken('measures', each))]);

/** Summarises the measurements of runs that only measured. */
const summaryOfMeasuring = (all: readonly Measures[]) => summarizeMeasures(all.map((each) => taken('measures', each)));

const taken = (purpose: TakenMeasurement['purpose'], measures: Measures) => ({ purpose, measures });

const measured = (throughput: number, more: Partial<Measures> = {}): Measures => ({
  cpu_time: 0.01,
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
    expect(summaryOf([])).toBeNull();
    expect(summaryOf([measured(100)])).toEqual({
      ...{ ...measured(100), floor: null, repeats: 1, spread: null },
      provisional: true,
    });
  });

  it('is provisional until a run that only measured contributes to the wall times', () => {
    const [answered, repeated] = [measured(900), measured(100)];
    expect(summaryOf([answered])).toMatchObject({ provisional: true });
    expect(summaryOf([answered, { ...repeated, contended: true }])).toMatchObject({ provisional: true });
    expect(summaryOf([answered, repeated])).not.toHaveProperty('provisional');
  });

  it('is the median of each figure, with its standard deviation', () => {
    const summary = summaryOfMeasuring([measured(100), measured(400), measured(130, { latency_p90: 7 })]);
    expect(summary).toMatchObject({ throughput: 130, latency_p50: 1.3, latency_p90: 7, repeats: 3 });
    expect(summary!.spread!.throughput).toBeCloseTo(165.227, 3);
    expect(summary!.spread).toMatchObject({ memory: 0, latency_p90: null, latency_p99: null });
  });

  it('takes latencies from the measurements that have intervals, if there are such', () => {
    const bounded = (latency_p50: number, low: number) =>
      measured(100, {
        latency_p50,
        latency_low: { latency_p50: low, latency_p90: null, latency_p95: null, latency_p99: null },
        latency_count: 206,
      });
    const summary = summaryOfMeasuring([measured(100, { latency_p50: 1 }), bounded(20, 10), bounded(24, 12)]);
    expect(summary).toMatchObject({
      repeats: 3,
      latency_p50: 22,
      latency_low: { latency_p50: 11 },
      latency_count: 206,
    });
    expect(summary!.spread!.latency_p50).toBeCloseTo(Math.SQRT2 * 2, 9);
    expect(summaryOfMeasuring([measured(100)])).not.toHaveProperty('latency_low');
  });

  it('has the spread of the throughput over the passes, where there were several', () => {
    expect(summaryOfMeasuring([measured(1, { throughput_spread: 3 })])).toMatchObject({ throughput_spread: 3 });
    expect(summaryOf([measured(1)])).not.toHaveProperty('throughput_spread');
  });

  it('takes wall times from the runs that only measured, unless these alone were disturbed', () => {
    const [answered, repeated] = [measured(900, { memory: 2 }), measured(100, { memory: 1, short: true })];
    expect(summaryOf([answered, repeated])).toMatchObject({ throughput: 100, memory: 1.5, short: true, repeats: 1 });
    expect(
      summaryOf([
        { ...answered, contended: true },
        { ...repeated, contended: true },
      ]),
    ).toMatchObject({
      throughput: 100,
      contended: true,
    });
    const kept = summaryOf([answered, { ...repeated, contended: true }]);
    expect(kept).toMatchObject({ throughput: 900, contended: false });
    expect(kept).not.toHaveProperty('short');
  });

  it('leaves out what was disturbed, unless everything was: then the least disturbed stands, marked', () => {
    const disturbed = (throughput: number) => measured(throughput, { contended: true });
    expect(summaryOf([disturbed(1), measured(100), disturbed(2)])).toMatchObject({
      throughput: 100,
      contended: false,
      repeats: 1,
    });
    for (const all of [
      [1, 2],
      [2, 1],
    ]) {
      expect(summaryOfMeasuring(all.map(disturbed))).toMatchObject({
        throughput: 2,
        contended: true,
        repeats: 1,
        spread: null,
      });
    }
    const elsewhere = measured(1, { contended: true, hardware: 'b' });
    expect(summaryOf([disturbed(2), elsewhere])).toMatchObject({ throughput: 1, hardware: 'b' });
  });

  it('never mixes hardware classes: the newest that was undisturbed decides', () => {
    const elsewhere = (throughput: number, contended = false) => measured(throughput, { hardware: 'b', contended });
    expect(summaryOf([measured(100), elsewhere(50), elsewhere(70)])).toMatchObject({
      hardware: 'b',
      throughput: 60,
      repeats: 2,
    });
    expect(summaryOf([measured(100), elsewhere(50, true)])).toMatchObject({ hardware: 'a', throughput: 100 });
  });

  describe('CPU time', () => {
    const cpu = (cpu_time: number | null, more: Partial<Measures> = {}) => measured(100, { cpu_time, ...more });

    it('is that of the run that answered each example once, although it was contended', () => {
      const summary = summaryOf([cpu(0.02, { contended: true }), cpu(0.001), cpu(0.003)]);
      expect(summary).toMatchObject({ cpu_time: 0.02, contended: false, repeats: 2 });
      expect(summary!.spread!.cpu_time).toBeCloseTo(0.001414, 6);
    });

    it('is the median of several runs that answered', () => {
      const answering = [0.01, 0.03, 0.02].map((each) => taken('evaluation', cpu(each)));
      expect(summarizeMeasures(answering)).toMatchObject({ cpu_time: 0.02 });
    });

    it('is that of the runs that only measured if no other has the figure on this hardware', () => {
      const earlier = measured(100);
      delete earlier.cpu_time;
      expect(summaryOf([earlier, cpu(0.01), cpu(0.03)])).toMatchObject({ cpu_time: 0.02, repeats: 2 });
      expect(summaryOf([cpu(0.5, { hardware: 'b' }), cpu(0.01)])).toMatchObject({ hardware: 'a', cpu_time: 0.01 });
      expect(summaryOf([earlier])).toMatchObject({ cpu_time: null });
      expect(summaryOfMeasuring([cpu(null), cpu(null)])).toMatchObject({ cpu_time: null, spread: { cpu_time: null } });
    });
  });

  it('has the latencies of all that counts in the same bins', () => {
    const bins = (n: number) => ({ latency_bins: [{ low: 1, high: 2, n }] });
    const all = [measured(1, bins(70)), measured(2, { ...bins(9), contended: true }), measured(3, bins(80))];
    expect(summaryOfMeasuring(all)!.latency_bins).toEqual([{ low: 1, high: 2, n: 150 }]);
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
    expect(summaryOfMeasuring(all)!.floor).toEqual({ ...floor(0.3), latency_p50: expect.closeTo(0.3, 9) });
  });
});
