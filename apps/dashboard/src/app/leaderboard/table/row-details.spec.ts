import type { Evaluation } from '@assay/api-client/angular';
import { describe, expect, it } from '@jest/globals';
import { datasetResults, perturbationResults, sliceResults } from './row-details.js';

const figure = (value: number) => ({ value, low: null, high: null });
const spread = {
  worst: { ...figure(0.5), slice: 'idiom' },
  best: { ...figure(0.9), slice: 'plain' },
  gap: figure(0.4),
};
const PLAIN = { dataset: 'one', version: 1, state: 'scored', examples: 40, measures: {}, slices: {} } as const;
const transform = { stability: figure(0.9), drop: null };

const MODEL = {
  evaluations: [
    { ...PLAIN, metrics: { accuracy: figure(0.8) }, sliceSpreads: { topic: { accuracy: spread } } },
    { ...PLAIN, dataset: 'two', state: 'failed', failure: { message: 'It ran out of memory.' }, metrics: {} },
    { ...PLAIN, perturbation: 'robustness', metrics: {}, perturbed: { transforms: { typos: transform } } },
  ] as unknown as Evaluation[],
};

describe('what stands behind a row', () => {
  it('is each dataset with the scores that are asked for, or why there are none', () => {
    const results = datasetResults(MODEL, ['accuracy', 'macro_f1'], new Set(['two']), () => undefined);
    expect(results).toMatchObject([
      { dataset: 'one', own: false, figures: [{ value: 0.8 }, undefined], failure: undefined },
      { dataset: 'two', own: true, state: 'failed', failure: 'It ran out of memory.' },
    ]);
    expect(results).toHaveLength(2);
  });

  it('has the fitted figures of datasets that were collected against the model', () => {
    const fitted = (dataset: string, metric: string) =>
      dataset === 'one' && metric === 'accuracy' ? { value: 0.6, low: 0.5, high: 0.7 } : undefined;
    expect(datasetResults(MODEL, ['accuracy'], new Set(['one']), fitted)).toMatchObject([
      { dataset: 'one', own: true, estimated: true, figures: [{ value: 0.6, low: 0.5 }] },
      { dataset: 'two', estimated: false, figures: [undefined] },
    ]);
  });

  it('is how far the slices are apart in the performance', () => {
    expect(sliceResults(MODEL, 'accuracy')).toMatchObject([{ dataset: 'one', field: 'topic', gap: { value: 0.4 } }]);
    expect(sliceResults(MODEL, 'macro_f1')).toEqual([]);
  });

  it('is what changing the examples does', () => {
    expect(perturbationResults(MODEL)).toEqual([
      { dataset: 'one', perturbation: 'robustness', transform: 'typos', ...transform },
    ]);
  });
});
