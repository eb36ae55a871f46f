import { describe, expect, it } from '@jest/globals';
import { factsOf, ranksPredictions, slugOf, weightsFor, weightsOf } from './definition-facts.js';

describe('what a form shows of a definition', () => {
  it('has the defaults of what is not written', () => {
    expect(factsOf({})).toMatchObject({
      language: 'en',
      perDay: 3,
      total: 100,
      loopSize: 1,
      inputs: [],
      minimumExamples: 100,
      disclosure: 'exact',
    });
  });

  it('takes nothing that has another shape', () => {
    const facts = factsOf({
      inputs: 'text',
      output: ['a'],
      quota: { perDay: 'many' },
      weights: { accuracy: 'x', memory: 2 },
    });
    expect(facts).toMatchObject({ inputs: [], perDay: 3, weights: { memory: 2 } });
    expect(facts.output).toEqual({ name: '', type: '', labels: [], of: '' });
  });

  it('weighs by the published default until weights are written', () => {
    const facts = factsOf({ performance: 'accuracy', perturbations: { robustness: ['typos'], sample: 9 } });
    expect(weightsOf(facts)).toEqual({ accuracy: 4, cpu_time: 1, memory: 1, robustness_mean: 1 });
    expect(weightsOf(factsOf({ performance: 'accuracy', weights: { accuracy: 1 } }))).toEqual({ accuracy: 1 });
  });

  it('ranks predictions where no cost weighs', () => {
    const facts = factsOf({ performance: 'accuracy', perturbations: { robustness: ['typos'] } });
    expect(ranksPredictions(facts)).toBe(false);
    expect(weightsFor(facts, 'predictions')).toEqual({ accuracy: 4, robustness_mean: 1 });
    const weighed = factsOf({ performance: 'accuracy', weights: { accuracy: 2, memory: 0 } });
    expect(ranksPredictions(weighed)).toBe(true);
    expect(weightsFor(weighed, 'costs')).toBeUndefined();
    const costsAlone = factsOf({ performance: 'accuracy', weights: { latency_p99: 1 } });
    expect([ranksPredictions(costsAlone), weightsFor(costsAlone, 'predictions')]).toEqual([false, { accuracy: 1 }]);
  });

  it('suggests a slug', () => {
    expect(slugOf('  Ärger & Freude: 2. Teil! ')).toBe('arger-freude-2-teil');
    expect(slugOf('…')).toBe('');
  });
});
