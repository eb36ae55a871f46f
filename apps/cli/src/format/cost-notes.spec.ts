import type { Model } from '@assay/api-client/fetch';
import { describe, expect, it } from '@jest/globals';
import { costNotes } from './cost-notes.js';

const FLOOR = { latency_p50: 0.21, latency_p90: 0.3, latency_p95: 0.34, latency_p99: null, count: 300 };
const measures = {
  throughput: 5000,
  latency_p50: 1.2,
  contended: false,
  hardware: 'Xeon · 1 cpu · runc',
  floor: FLOOR,
  repeats: 1,
  spread: null,
};

const notes = (own: object, model: object = {}): string =>
  costNotes({ evaluations: [{ measures: { ...measures, ...own } }], ...model } as unknown as Model);

describe('costNotes', () => {
  it('says the hardware class, how often was measured, and the floor', () => {
    expect(notes({})).toBe(
      'costs on Xeon · 1 cpu · runc, measured once\n' +
        'each latency includes the overhead of the sandbox: p50 0.210 ms, p95 0.340 ms (measured with a model that does nothing)',
    );
  });

  it('gives the lower ends of the intervals of latencies, where they are known', () => {
    const latency_low = { latency_p50: 0.9, latency_p90: 1.1, latency_p95: 1.2, latency_p99: null };
    expect(notes({ latency_low, floor: null })).toContain(
      'latencies are upper bounds; with 95% confidence they are at least p50 0.900 ms, p95 1.20 ms',
    );
  });

  it.each([
    [0.2, true],
    [0.21, false],
  ])('says of a median latency of %d ms whether it is below the floor: %s', (latency_p50, isBelow) => {
    expect(notes({ latency_p50 }).includes('BELOW THE FLOOR')).toBe(isBelow);
  });

  it('says the spread of repeats, and what was disturbed', () => {
    const spread = { cpu_time: 0.0004, throughput: 120, latency_p50: 0.05 };
    expect(
      notes({ repeats: 3, spread, cpu_time: 0.005, floor: null, contended: true }, { measuring: true }).split('\n'),
    ).toEqual([
      'costs on Xeon · 1 cpu · runc, measured 3 times: medians, CPU time ± 0.400 ms/example, throughput ± 120 ex/s, latency p50 ± 0.0500 ms (standard deviation)',
      'some costs were measured while something else used the host; they are measured again when it is idle',
      'the costs are being measured',
    ]);
  });

  it('says that figures are provisional while a measurement follows', () => {
    const words =
      'throughput and latencies are provisional: they were taken while the model answered, and a measurement follows';
    expect(notes({ provisional: true }, { awaitsMeasurement: true }).split('\n')).toContain(words);
    expect(notes({ provisional: true }, { awaitsMeasurement: false })).not.toContain('provisional');
    expect(notes({}, { awaitsMeasurement: true })).not.toContain('provisional');
  });

  it.each([
    [{ compared: 200, different: 0 }, 'deterministic: 200 examples got the same answers in a fresh container'],
    [{ compared: 200, different: 31 }, 'NOT DETERMINISTIC: 31 of 200 examples got other answers in a fresh container'],
    [{ compared: 0, different: 0, why: 'It was gone.' }, 'not known whether it is deterministic. It was gone.'],
  ])('says in words what %j shows', (repeatability, words) => {
    expect(notes({ floor: null }, { repeatability }).split('\n').at(-1)).toBe(words);
  });

  it('says that a model answered people differently', () => {
    const words = notes({ floor: null }, { liveDifference: { round: 2, compared: 1200, different: 600 } });
    expect(words.split('\n').at(-1)).toBe(
      'NOT A TARGET MODEL: in round 2 it answered people differently than in its evaluation, on 600 of 1,200 examples',
    );
  });

  it('says nothing of a model that nothing ran of', () => {
    expect(costNotes({ evaluations: [{ measures: {} }] } as unknown as Model)).toBe('');
  });
});
