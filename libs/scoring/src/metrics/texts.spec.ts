import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { metricExample, metricValue } from '../../../../test/factories/models/metric-value.js';
import { longestCommonSubsequence } from './rouge-l.js';
import { mtevalTokens } from '../language/bleu-tokens.js';
import { metricNamed } from './registry.js';

interface Case {
  readonly name: string;
  readonly gold: readonly (readonly string[])[];
  readonly predicted: readonly string[];
  readonly bleu: number;
  readonly chrf: number;
  /** Null of texts beyond ASCII, where the metric departs from Google's. */
  readonly rouge_l: number | null;
  readonly wer: number;
  readonly cer: number;
}
const cases = JSON.parse(readFileSync(new URL('../../golden/texts.json', import.meta.url), 'utf8')) as readonly Case[];
const NAMES = ['bleu', 'chrf', 'rouge_l', 'wer', 'cer'] as const;

type Pair = readonly [gold: string | readonly string[], predicted: string | null];
const value = (name: string, pairs: readonly Pair[]): number =>
  metricValue(
    metricNamed(name),
    pairs.map(([gold, predicted]) => metricExample(gold, predicted)),
  );

describe.each(cases)('$name', (golden) => {
  it.each(NAMES.filter((name) => golden[name] !== null))('has the %s of the reference', (name) => {
    const found = value(
      name,
      golden.gold.map((gold, index) => [gold, golden.predicted[index]!]),
    );

    expect(found).toBeCloseTo(golden[name]!, 12);
  });
});

describe('BLEU', () => {
  it('has the published value of the example in its documentation', () => {
    const documents: Pair[] = [
      [['The dog bit the man.', 'The dog had bit the man.'], 'The dog bit the man.'],
      [['It was not unexpected.', 'No one was surprised.'], "It wasn't surprising."],
      [['The man bit him first.', 'The man had bitten the dog.'], 'The man had just bitten him.'],
    ];

    expect(Math.round(value('bleu', documents) * 1e8) / 1e6).toBe(48.530827);
    expect(Math.round(value('chrf', documents) * 1e4) / 1e2).toBe(59.73);
  });

  it('tells numbers, apostrophes and hyphens from punctuation', () => {
    expect(mtevalTokens('3.14, 1,000. well-known 7-day it\'s "so" &amp; a.b')).toEqual([
      '3.14',
      ',',
      '1,000',
      '.',
      'well-known',
      '7',
      '-',
      'day',
      "it's",
      '"',
      'so',
      '"',
      '&',
      'a',
      '.',
      'b',
    ]);
  });
});

describe('ROUGE-L', () => {
  it('keeps the letters of every script, and takes the characters of those without spaces one by one', () => {
    expect(value('rouge_l', [['Café É', 'café é']])).toBe(1);
    expect(value('rouge_l', [['привет мир', 'привет']])).toBeCloseTo(2 / 3, 15);
    expect(value('rouge_l', [['abc北京', '北京 abc']])).toBeCloseTo(2 / 3, 15);
    expect(value('rouge_l', [['!', '!']])).toBe(0);
  });

  it('finds the longest common subsequence as the table of all pairs does', () => {
    const tokens = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 150, size: 'max' });
    fc.assert(
      fc.property(tokens, tokens, (a, b) => {
        expect(longestCommonSubsequence(a, b)).toBe(byTable(a, b));
      }),
    );
  });
});

describe('error rates', () => {
  it('weigh a reference by its length, and may exceed 1', () => {
    expect(
      value('wer', [
        ['a b c', 'a b c'],
        ['d', 'e'],
      ]),
    ).toBe(1 / 4);
    expect(value('wer', [['a', 'b c d']])).toBe(3);
    expect(value('cer', [['👍🏽', '👍']])).toBe(1 / 2);
  });

  it('take the reference of the lowest rate, and are undefined where there is none to compare with', () => {
    expect(value('wer', [[['a b', 'a c d e'], 'a c d f']])).toBe(1 / 4);
    expect(value('wer', [['', 'a']])).toBeNaN();
  });

  it('compare a text of more different words than there are code units', () => {
    const many = Array.from({ length: 70_000 }, (_, index) => `w${index}`).join(' ');

    expect(value('wer', [['w1 w2', many]])).toBe((70_000 - 2) / 2);
  });
});

describe('metrics of texts', () => {
  it('count a tolerated bad answer as wrong', () => {
    const right: Pair = ['four words are here', 'four words are here'];

    expect(NAMES.map((name) => value(name, [right]))).toEqual([1, 1, 1, 0, 0]);
    expect(NAMES.map((name) => value(name, [[right[0], null]]))).toEqual([0, 0, 0, 1, 1]);
    expect(value('rouge_l', [right, ['x y', null]])).toBe(1 / 2);
    expect(value('bleu', [right, ['x y', null]])).toBeCloseTo(Math.exp(1 - 6 / 4), 12);
    // an empty reference is no way out
    expect(value('wer', [right, [['', 'x y'], null]])).toBe(2 / 6);
    expect(value('wer', [right, ['', null]])).toBe(1 / 4);
  });

  const text = fc
    .array(fc.constantFrom('the', 'cat', 'sat.', '3,5', '北京', '👍', '(so)', 'on-top', '\t'), { maxLength: 12 })
    .map((list) => list.join(' '));
  const pairs = fc
    .array(fc.tuple(fc.array(text, { maxLength: 3 }), fc.option(text)), { maxLength: 8 })
    .map((list): Pair[] => [['the cat sat', 'the cat lay'], ...list]);

  it.each(NAMES)('%s stays in its range, in any order of the examples', (name) => {
    const [low, high] = metricNamed(name).range;
    fc.assert(
      fc.property(pairs, (list) => {
        const found = value(name, list);
        expect(found).toBeGreaterThanOrEqual(low);
        expect(found).toBeLessThanOrEqual(high);
        expect(value(name, list.toReversed())).toBeCloseTo(found, 12);
      }),
    );
  });

  it('have nothing better than one of the references', () => {
    // of an empty answer sacreBLEU's chrF takes the first reference, all of which have 0
    const words = text.filter((each) => each.trim() !== '');
    const several = fc.array(fc.array(words, { minLength: 1, maxLength: 3 }), { maxLength: 6 });
    fc.assert(
      fc.property(several, (list) => {
        const right = [['the cat sat on'], ...list].map((gold): Pair => [gold, gold.at(-1)!]);
        expect(value('bleu', right)).toBeCloseTo(1, 12);
        expect(value('chrf', right)).toBeCloseTo(1, 12);
        expect([value('wer', right), value('cer', right)]).toEqual([0, 0]);
      }),
    );
  });
});

function byTable(a: readonly string[], b: readonly string[]): number {
  let row = new Array<number>(b.length + 1).fill(0);
  for (const left of a) {
    const next = [0];
    for (const [at, right] of b.entries()) {
      next.push(left === right ? row[at]! + 1 : Math.max(row[at + 1]!, next[at]!));
    }
    row = next;
  }
  return row.at(-1)!;
}
