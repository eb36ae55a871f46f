import type { Comparison, MetricComparison } from '@assay/api-client/angular';
import { describe, expect, it } from '@jest/globals';
import {
  type Better,
  comparedDatasets,
  comparisonSentence,
  overallSentence,
  overallVerdict,
} from './compare-sentences.js';

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

it('says which correction a difference over all datasets does not survive', () => {
  const difference = { ahead: 'xlnet', size: '3.2 points', p: '0.029', verdict: 'alone', pairs: 1 } as const;
  expect(overallSentence(difference)).toBe(
    'Over all datasets together, xlnet is ahead by 3.2 points: significant on its own (p = 0.029), but not after correcting for all metrics and datasets.',
  );
});

describe('overallVerdict', () => {
  const overall = (low: number, p: number, better: 'a' | null) => ({
    difference: { value: low + 0.02, low, high: low + 0.04 },
    ...{ p, holm: 3 * p, better },
  });

  it.each([
    ['significant', overall(0.01, 0.01, 'a'), undefined],
    ['alone', overall(0.01, 0.01, 'a'), false],
    ['alone', overall(0.01, 0.03, null), undefined],
    ['none', overall(-0.01, 0.03, null), undefined],
    ['none', overall(-0.01, 0.3, null), undefined],
    ['none', undefined, undefined],
  ] as const)('is %s', (verdict, difference, isSignificantAmong) => {
    expect(overallVerdict(difference, isSignificantAmong)).toBe(verdict);
  });
});

describe('comparedDatasets', () => {
  const figures = (better: 'a' | 'b' | null): MetricComparison => ({
    a: { value: 0.5, low: 0.4, high: 0.6 },
    b: { value: 0.4, low: 0.3, high: 0.5 },
    difference: { value: 0.1, low: 0, high: 0.2 },
    ...{ p: 0.01, holm: 0.03, better, test: 'mcnemar-mid-p', detectable: 0.1 },
  });
  const comparison = {
    datasets: [figures('b'), figures(null)].map((score, place) => ({ dataset: `r${place + 1}`, metrics: { score } })),
  } as unknown as Comparison;

  it('has the verdict of the API, and leaves out datasets without the metric', () => {
    expect(comparedDatasets(comparison, 'score').map(({ dataset, better }) => [dataset, better])).toEqual([
      ['r1', 'b'],
      ['r2', 'none'],
    ]);
    expect(comparedDatasets(comparison, 'other')).toEqual([]);
  });
});
