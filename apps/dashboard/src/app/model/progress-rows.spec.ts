import type { Evaluation } from '@assay/api-client/angular';
import { describe, expect, it } from '@jest/globals';
import type { DatasetProgress } from './model-events.js';
import { hear, type Heard, NOTHING_HEARD, progressRows, timeLeft } from './progress-rows.js';

const evaluation = (dataset: string, more: Partial<Evaluation> = {}): Evaluation => ({
  dataset,
  version: 1,
  state: 'queued',
  examples: 1000,
  metrics: {},
  measures: {},
  slices: {},
  ...more,
});

const progress = (dataset: string, done: number, more: Partial<DatasetProgress> = {}) =>
  ({ type: 'progress', dataset, done, total: 1000, examplesPerSecond: 50, ...more }) as const;

const accuracy = { value: 0.57, low: 0.55, high: 0.59 };
const heard = (...events: readonly Parameters<typeof hear>[1][]): Heard => events.reduce(hear, NOTHING_HEARD);

describe('progressRows', () => {
  it('has a row for each evaluation before anything is heard', () => {
    const rows = progressRows(
      [evaluation('r1'), evaluation('r1', { perturbation: 'fairness', examples: 300 })],
      heard(),
    );

    expect(rows).toMatchObject([
      { dataset: 'r1', state: 'queued', done: 0, total: 1000 },
      { dataset: 'r1', perturbation: 'fairness', state: 'queued', done: 0, total: 300 },
    ]);
    expect(rows[0]).not.toHaveProperty('left');
  });

  it('counts the time that is left by the speed so far', () => {
    const rows = progressRows([evaluation('r1')], heard(progress('r1', 100), progress('r1', 400)));

    expect(rows).toMatchObject([{ state: 'running', done: 400, total: 1000, examplesPerSecond: 50, left: 12_000 }]);
  });

  it('tells a perturbed version from its dataset', () => {
    const rows = progressRows(
      [evaluation('r1'), evaluation('r1', { perturbation: 'fairness' })],
      heard(progress('r1', 400, { perturbation: 'fairness' })),
    );

    expect(rows.map(({ state }) => state)).toEqual(['queued', 'running']);
  });

  it('has a score as soon as it is received, before the model is read again', () => {
    const rows = progressRows(
      [evaluation('r1', { state: 'running' })],
      heard(progress('r1', 1000), { type: 'score', dataset: 'r1', metrics: { accuracy } }),
    );

    expect(rows).toMatchObject([{ state: 'scored', done: 1000, metrics: { accuracy } }]);
    expect(rows[0]).not.toHaveProperty('left');
  });

  it('keeps to what was read where that has ended', () => {
    const failure = { code: 'too_slow', fault: 'model', message: 'It was too slow.', next: 'Be faster.' } as const;
    const rows = progressRows([evaluation('r1', { state: 'failed', failure })], heard(progress('r1', 400)));

    expect(rows).toMatchObject([{ state: 'failed', failure, done: 0 }]);
  });

  it('says no time while the speed is 0', () => {
    const rows = progressRows([evaluation('r1')], heard(progress('r1', 0, { examplesPerSecond: 0 })));

    expect(rows[0]).not.toHaveProperty('left');
  });
});

describe('timeLeft', () => {
  it('is that of all datasets that are still to be answered', () => {
    const rows = progressRows(
      [evaluation('r1', { state: 'scored' }), evaluation('r2'), evaluation('r3', { examples: 500 })],
      heard(progress('r2', 400)),
    );

    expect(timeLeft(rows)).toBe(((600 + 500) / 50) * 1000);
  });

  it.each([
    ['nothing was answered yet', [evaluation('r1')]],
    ['all is', [evaluation('r1', { state: 'scored' })]],
  ])('is not known where %s', (_, evaluations) => {
    expect(timeLeft(progressRows(evaluations, heard()))).toBeUndefined();
  });
});
