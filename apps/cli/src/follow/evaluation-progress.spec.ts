import { describe, expect, it } from '@jest/globals';
import type { Evaluation, Model } from '@assay/api-client/fetch';
import { EvaluationProgress } from './evaluation-progress.js';

const cell = (dataset: string, more: Partial<Evaluation> = {}): Evaluation => ({
  dataset,
  version: 1,
  state: 'queued',
  examples: 1200,
  metrics: {},
  measures: {},
  slices: {},
  ...more,
});

const model = (state: Model['state'], evaluations: Evaluation[]): Model => ({ state, evaluations }) as unknown as Model;

const progress = (done: number) =>
  ({ type: 'progress', dataset: 'anli-r1', done, total: 1000, examplesPerSecond: 41 }) as const;

describe('EvaluationProgress', () => {
  it('tells a change of state once', () => {
    const shown = new EvaluationProgress();
    shown.refresh(model('admitting', []));
    expect(shown.take({ type: 'state', state: 'admitting' })).toBeNull();
    expect(shown.take({ type: 'state', state: 'running' })).toBe('Running');
  });

  it('tells the place in the queue when it changes, and draws it with the estimate', () => {
    const run = (ahead: number) => ({
      ...{ stage: 'evaluation', state: 'waiting', since: '', attempt: 1, ahead, queued: 9 },
      noEstimate: 'no_evaluator',
    });
    const queued = (ahead: number) => ({ ...model('queued', []), run: run(ahead) }) as Model;
    const shown = new EvaluationProgress();
    expect(shown.refresh(queued(2))).toBe('Position 3 of 9 in the queue; no evaluator is online.');
    expect(shown.refresh(queued(2))).toBeNull();
    expect(shown.refresh(queued(0))).toBe('Next in the queue; no evaluator is online.');
    expect(shown.table()).toBe('Waiting for an evaluator\nNext in the queue; no evaluator is online.');
    expect(shown.refresh(model('running', []))).toBeNull();
  });

  it('tells the progress of a dataset at every tenth', () => {
    const shown = new EvaluationProgress();
    expect(shown.take(progress(50))).toBeNull();
    expect(shown.take(progress(110))).toBe('anli-r1: 110 of 1,000, 41.0 examples/s, 22 s left');
    expect(shown.take(progress(150))).toBeNull();
  });

  it('draws a row for each dataset', () => {
    const shown = new EvaluationProgress();
    const accuracy = { value: 0.57, low: 0.553, high: 0.587 };
    shown.refresh(model('running', [cell('anli-r1'), cell('anli-r2', { state: 'scored', metrics: { accuracy } })]));
    shown.take(progress(500));
    const lines = shown.table().split('\n');
    expect(lines[0]).toBe('Running');
    expect(lines[2]).toMatch(/^anli-r1 +running +█{8}░{8} +41\.0 examples\/s, 12 s left$/);
    expect(lines[3]).toMatch(/^anli-r2 +scored +█{16} +accuracy 57\.0 ± 1\.7$/);
  });

  it('tells perturbed examples from the dataset that they were made of', () => {
    const shown = new EvaluationProgress();
    shown.refresh(model('running', [cell('anli-r1'), cell('anli-r1', { perturbation: 'fairness' })]));
    expect(shown.take({ ...progress(500), perturbation: 'fairness' })).toMatch(/^anli-r1 fairness: 500 of 1,000/);
    const lines = shown.table().split('\n');
    expect(lines[2]).toMatch(/^anli-r1 +queued +░{16}/);
    expect(lines[3]).toMatch(/^anli-r1 fairness +running +█{8}/);
  });
});
