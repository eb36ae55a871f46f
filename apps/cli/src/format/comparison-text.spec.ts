import type { Comparison } from '@assay/api-client/fetch';
import { describe, expect, it } from '@jest/globals';
import { comparisonMatrixText, comparisonText } from './comparison-text.js';

const estimate = (value: number) => ({ value, low: value - 0.02, high: value + 0.02 });

const dataset = (name: string, difference: number, better: 'a' | 'b' | null): Comparison['datasets'][number] => ({
  dataset: name,
  version: 1,
  use: 'scoring',
  n: 1000,
  weight: 0.5,
  exposure: { a: 'clean', b: 'clean' },
  own: { a: false, b: false },
  warnings: [],
  metrics: {
    accuracy: {
      a: estimate(0.5 + difference),
      b: estimate(0.5),
      difference: estimate(difference),
      p: better ? 0.0061 : 0.48,
      holm: better ? 0.0122 : 0.48,
      better,
      test: 'mcnemar-mid-p',
      detectable: 0.039,
    },
  },
  slices: {},
});
const model = (id: string) => ({ id, name: `Model ${id}`, owner: 'kim', kind: 'container' as const });

const view: Comparison = {
  task: 'nli',
  benchmarkVersion: 3,
  performance: 'accuracy',
  metrics: [{ name: 'accuracy', unit: 'ratio', direction: 'higher' }],
  a: model('1'),
  b: model('2'),
  sameComputation: false,
  decision: null,
  warnings: [],
  overall: {
    comparable: 2,
    of: 3,
    metrics: { accuracy: { difference: estimate(0.03), p: 0.003, holm: 0.009, better: 'a' } },
    missing: [{ dataset: 'round-3', version: 1, why: 'Model 2: running' }],
  },
  datasets: [
    dataset('round-1', 0.06, 'a'),
    { ...dataset('round-2', -0.01, null), warnings: ['"Model 2" may have seen it.'] },
  ],
  costs: {
    hardware: { a: ['A'], b: ['B'] },
    comparable: false,
    metrics: { memory: { unit: 'GiB', direction: 'lower', a: 1.25, b: 2.5, difference: null } },
  },
};

describe('comparisonText', () => {
  const lines = comparisonText(view).split('\n');

  it('has both values, the signed difference, p and the corrected p', () => {
    expect(lines).toContainEqual(expect.stringMatching(/^overall +accuracy % +\+3\.0 ± 2\.0 +0\.003 +0\.009$/));
    expect(lines).toContainEqual(
      expect.stringMatching(/^round-2 +accuracy % +1,000 +49\.0 ± 2\.0 +50\.0 ± 2\.0 +-1\.0 ± 2\.0 +0\.48 +0\.48$/),
    );
  });

  it('says in words who is better, and what the data cannot show', () => {
    expect(lines).toContain('Model 1 is better overall (2 of 3 datasets).');
    expect(lines).toContain('Model 1 is better on round-1.');
    expect(lines).toContain('Tied on round-2 (1,000 examples can detect 3.9 points or more).');
  });

  it('marks own, contaminated and contended figures, with what the marks mean', () => {
    const [first, second] = view.datasets;
    const marked = {
      ...view,
      datasets: [{ ...first!, own: { a: true, b: false }, exposure: { a: 'clean', b: 'exposed' } as const }, second!],
      costs: {
        ...view.costs,
        metrics: { memory: { ...view.costs.metrics['memory']!, contended: { a: false, b: true } } },
      },
    };
    const text = comparisonText(marked);
    expect(text).toMatch(/^round-1 +accuracy % +1,000 +†56\.0 ± 2\.0 +°50\.0 ± 2\.0/m);
    expect(text).toMatch(/^memory GiB +1\.25 +‡2\.50 +·$/m);
    expect(text).toContain('† own round: ');
    expect(text).toContain('° contaminated: ');
    expect(text).toContain('‡ contended: ');
    expect(lines.join('\n')).not.toMatch(/[†°‡]/);
  });

  it('warns, and names what is missing', () => {
    expect(lines).toContain('round-2: "Model 2" may have seen it.');
    expect(lines).toContain('Not in the overall difference: round-3 (Model 2: running).');
    expect(lines).toContainEqual(expect.stringMatching(/^memory GiB +1\.25 +2\.50 +·$/));
    expect(lines).toContainEqual(expect.stringMatching(/^Costs are not comparable: /));
  });
});

describe('comparisonMatrixText', () => {
  it('has a row for each two models', () => {
    const pair = {
      a: '1',
      b: '2',
      comparable: 2,
      difference: estimate(-0.03),
      p: 0.003,
      holm: 0.009,
      better: 'b' as const,
    };
    const text = comparisonMatrixText({
      task: 'nli',
      benchmarkVersion: 3,
      performance: 'accuracy',
      models: [model('1'), model('2')],
      of: 3,
      pairs: [{ ...pair, sameComputation: false, warnings: [] }],
    });
    expect(text).toMatch(/^Model 1 +Model 2 +-3\.0 ± 2\.0 +0\.009 +Model 2 is better +2 of 3$/m);
  });

  it('calls two models tied without a significant difference', () => {
    const pair = { a: '1', b: '2', comparable: 2, difference: estimate(-0.01), p: 0.3, holm: 0.3, better: null };
    const matrix = {
      task: 'nli',
      benchmarkVersion: 3,
      performance: 'accuracy',
      models: [model('1'), model('2')],
      of: 3,
    };
    const text = comparisonMatrixText({ ...matrix, pairs: [{ ...pair, sameComputation: false, warnings: [] }] });
    expect(text).toMatch(/^Model 1 +Model 2 +-1\.0 ± 2\.0 +0\.30 +tied +2 of 3$/m);
  });
});
