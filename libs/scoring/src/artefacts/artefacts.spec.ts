import { seededRng } from '@assay/kernel';
import { describe, expect, it } from '@jest/globals';
import { atOnce } from '../resampling/work.js';
import { documentWords } from './document-words.js';
import { labelWords } from './label-words.js';
import { NaiveBayes } from './naive-bayes.js';
import { partialInputBaseline } from './partial-input.js';

describe('documentWords', () => {
  it.each([
    ['It’s raining, again!', 'en', ['it’s', 'raining', 'again']],
    ['  ', 'en', []],
    ['Der Café', 'de', ['der', 'café']],
    ['Cafe\u0301', 'fr', ['café']],
  ])('of %j', (text, language, words) => {
    expect(documentWords(text, language)).toEqual(words);
  });

  it('divides a language without spaces', () => {
    expect(documentWords('我在北京大学学习', 'zh').length).toBeGreaterThan(2);
  });
});

it('the classifier decides the worked example of Manning et al. 2008, table 13.1', () => {
  const model = new NaiveBayes(2);
  model.learn(['chinese', 'beijing', 'chinese'], 1);
  model.learn(['chinese', 'chinese', 'shanghai'], 1);
  model.learn(['chinese', 'macao'], 1);
  model.learn(['tokyo', 'japan', 'chinese'], 0);
  expect(model.guess(['chinese', 'chinese', 'chinese', 'tokyo', 'japan'])).toBe(1);
  expect(model.guess(['tokyo', 'japan'])).toBe(0);
  // words that were never seen change nothing: the more frequent label wins
  expect(model.guess(['osaka'])).toBe(1);
});

/** Examples with one informative word for a share of them, the rest noise. */
function drawn(examples: number, informative: number, seed: string) {
  const rng = seededRng(seed);
  const labels = Int32Array.from({ length: examples }, () => rng.below(3));
  const documents = Array.from(labels, (label) => [
    rng.next() < informative ? ['never', 'some', 'all'][label]! : 'the',
    `noise${rng.below(40)}`,
  ]);
  return { documents, gold: { labels, count: 3 } };
}

describe('partialInputBaseline', () => {
  it('finds an input that gives labels away', () => {
    const { documents, gold } = drawn(600, 0.6, 'informative');
    const found = atOnce(partialInputBaseline(documents, gold, null, 'seed'))!;
    expect(found.accuracy.value).toBeGreaterThan(0.65);
    expect(found.accuracy.low).toBeGreaterThan(found.majority);
  });

  it('finds nothing in noise', () => {
    const { documents, gold } = drawn(600, 0, 'noise');
    const found = atOnce(partialInputBaseline(documents, gold, null, 'seed'))!;
    expect(found.accuracy.low).toBeLessThan(found.majority);
  });

  it('never trains on the cluster of a tested example', () => {
    // every cluster has a word and a label of its own, so that only a divided cluster could teach it
    const labels = Int32Array.from({ length: 200 }, (_, index) => Math.floor(index / 10) % 2);
    const of = Int32Array.from({ length: 200 }, (_, index) => Math.floor(index / 10));
    const documents = Array.from(of, (cluster) => [`topic${cluster}`]);
    const gold = { labels, count: 2 };
    const whole = atOnce(partialInputBaseline(documents, gold, { of, count: 20 }, 'seed'))!;
    const divided = atOnce(partialInputBaseline(documents, gold, null, 'seed'))!;
    expect(divided.accuracy.value).toBe(1);
    expect(whole.accuracy.value).toBeLessThan(0.7);
  });

  it('does nothing with fewer than five clusters or one label', () => {
    const documents = Array.from({ length: 8 }, () => ['word']);
    const two = { labels: Int32Array.from([0, 1, 0, 1, 0, 1, 0, 1]), count: 2 };
    const of = Int32Array.from([0, 0, 1, 1, 2, 2, 3, 3]);
    expect(atOnce(partialInputBaseline(documents, two, { of, count: 4 }, ''))).toBeNull();
    expect(atOnce(partialInputBaseline(documents, { labels: new Int32Array(8), count: 1 }, null, ''))).toBeNull();
    expect(atOnce(partialInputBaseline([], { labels: [], count: 0 }, null, ''))).toBeNull();
  });
});

describe('labelWords', () => {
  it('finds the words that go with a label, and their shares', () => {
    const { documents, gold } = drawn(600, 0.6, 'informative');
    const found = atOnce(labelWords(documents, gold));
    expect(
      found
        .slice(0, 3)
        .map(({ word, label, share }) => [word, label, share])
        .toSorted(),
    ).toEqual([
      ['all', 2, 1],
      ['never', 0, 1],
      ['some', 1, 1],
    ]);
    const { examples, expected, z } = found[0]!;
    expect(z).toBeCloseTo((1 - expected) / Math.sqrt((expected * (1 - expected)) / examples), 12);
  });

  it('finds few words in noise, and none that is rare', () => {
    const { documents, gold } = drawn(2000, 0, 'noise');
    expect(atOnce(labelWords(documents, gold)).length).toBeLessThanOrEqual(2);
    const rare = Array.from({ length: 40 }, (_, index) => [`word${Math.floor(index / 10)}`]);
    const labels = Int32Array.from({ length: 40 }, (_, index) => Math.floor(index / 10) % 2);
    expect(atOnce(labelWords(rare, { labels, count: 2 }))).toEqual([]);
  });
});
