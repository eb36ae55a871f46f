import type { Comparison, MetricComparison } from '@assay/api-client/angular';
import { describe, expect, it } from '@jest/globals';
import { adjustedDatasets, type Better, comparisonSentence, overallSentence } from './compare-sentences.js';

const sets = (...better: readonly Better[]) =>
  better.map((each, place) => ({ dataset: `r${place + 1}`, better: each }));

describe('comparisonSentence', () => {
  it.each<[string, readonly Better[]]>([
    ['albert is better on 2 of 3 sets; no significant difference on r1.', ['none', 'a', 'a']],
    ['albert is better on all 2 sets.', ['a', 'a']],
    ['xlnet is better on all 3 sets.', ['b', 'b', 'b']],
    ['xlnet is better on 2 of 4 sets; albert on 1; no significant difference on r4.', ['b', 'a', 'b', 'none']],
    ['albert is better on 1 of 3 sets; no significant difference on r2 and r3.', ['a', 'none', 'none']],
    ['albert is better on 1 of 2 sets; xlnet on 1.', ['a', 'b']],
    ['No significant difference between albert and xlnet on any of the 2 datasets.', ['none', 'none']],
    ['No significant difference between albert and xlnet on r1.', ['none']],
    ['albert is better.', ['a']],
    ['albert and xlnet have no dataset in common.', []],
  ])('says "%s"', (sentence, better) => {
    expect(comparisonSentence('albert', 'xlnet', sets(...better))).toBe(sentence);
  });
});

it('does not deny a difference that all datasets together show', () => {
  expect(comparisonSentence('albert', 'xlnet', sets('none', 'none'), 'xlnet')).toBe(
    'xlnet is better over all datasets together, although the difference is not significant on any single one.',
  );
  expect(comparisonSentence('albert', 'xlnet', sets('none', 'a'), 'albert')).toBe(
    'albert is better on 1 of 2 sets; no significant difference on r1.',
  );
});

it.each([
  ['significant', 'xlnet is ahead by 3.2 points, which is significant.'],
  ['none', 'xlnet is ahead by 3.2 points, which is not significant.'],
  [
    'alone',
    'xlnet is ahead by 3.2 points: significant on its own (p = 0.029), but not after correcting for the 3 pairs above.',
  ],
] as const)('says of a difference over all datasets that is %s', (verdict, sentence) => {
  const difference = { ahead: 'xlnet', size: '3.2 points', p: '0.029', verdict, pairs: 3 };
  expect(overallSentence(difference)).toBe(`Over all datasets together, ${sentence}`);
});

describe('adjustedDatasets', () => {
  const figures = (value: number, p: number | null): MetricComparison => ({
    a: { value: 0.5, low: 0.4, high: 0.6 },
    b: { value: 0.5 - value, low: 0.4, high: 0.6 },
    difference: { value, low: value - 0.1, high: value + 0.1 },
    p,
    better: null,
    test: 'mcnemar-mid-p',
    detectable: 0.1,
  });
  const comparison = (direction: 'higher' | 'lower', ...all: readonly MetricComparison[]): Comparison =>
    ({
      metrics: [{ name: 'score', unit: 'ratio', direction }],
      datasets: all.map((each, place) => ({ dataset: `r${place + 1}`, metrics: { score: each } })),
    }) as unknown as Comparison;

  it('asks more of each dataset the more of them there are', () => {
    const three = comparison('higher', figures(0.05, 0.03), figures(-0.09, 0.01), figures(0.01, 0.6));

    expect(adjustedDatasets(three, 'score').map(({ better, holm }) => [better, holm])).toEqual([
      ['none', 0.06],
      ['b', 0.03],
      ['none', 0.6],
    ]);
  });

  it('takes the smaller figure for the better where less is better', () => {
    expect(adjustedDatasets(comparison('lower', figures(0.2, 0.001)), 'score')).toMatchObject([{ better: 'b' }]);
  });

  it('says nothing where there is no p, and leaves out what has not the metric', () => {
    expect(adjustedDatasets(comparison('higher', figures(0.3, null)), 'score')).toMatchObject([
      { better: 'none', holm: null },
    ]);
    expect(adjustedDatasets(comparison('higher', figures(0.3, 0.001)), 'other')).toEqual([]);
  });
});
