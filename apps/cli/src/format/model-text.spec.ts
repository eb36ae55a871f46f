import type { Evaluation, Model } from '@assay/api-client/fetch';
import { describe, expect, it } from '@jest/globals';
import { modelText } from './model-text.js';

const evaluation = (dataset: string, more: Partial<Evaluation> = {}): Evaluation => ({
  ...{ dataset, version: 1, state: 'scored', examples: 40, measures: {}, slices: {} },
  metrics: { accuracy: { value: 0.9, low: 0.8, high: 0.95 } },
  ...more,
});
const model = (...evaluations: readonly Evaluation[]): Model => ({
  ...{ id: 'm1', task: 'nli', name: 'bert', owner: 'ben', kind: 'container', description: '', card: '' },
  ...{
    trainedOn: [],
    derivedFrom: [],
    protocol: 'invocations',
    createdAt: '2026-11-01T10:00:00.000Z',
    state: 'scored',
  },
  ...{ published: true, withdrawn: false, loop: true, allowForeignEvaluators: true },
  evaluations: [...evaluations],
});

describe('the text of a model', () => {
  it('names the evaluators of users that ran it, by dataset', () => {
    const evaluators = [{ name: 'gpu-1', owner: 'ada' }];
    const text = modelText(model(evaluation('one', { evaluators }), evaluation('two')));

    const [title, ...rows] = text.split('\n').filter((line) => /^(dataset|one|two)/.test(line));
    expect(title).toMatch(/own evaluator$/);
    expect(rows).toEqual([expect.stringMatching(/^one .* gpu-1 \(ada\)$/), expect.stringMatching(/^two .* ·$/)]);
    expect(text).toContain('own evaluator: An evaluator of a user, not of the service, ran the model.');
  });

  it('counts the labels that are not the most probable ones', () => {
    const text = modelText(model(evaluation('one', { examples: 3728, labelDiffers: 212 }), evaluation('two')));
    expect(text).toContain('one: label differs from the top probability in 212 of 3,728');
    expect(text).not.toContain('two: label differs');
  });

  it('says nothing about evaluators if only those of the service ran it', () => {
    expect(modelText(model(evaluation('one')))).not.toContain('evaluator');
  });
});
