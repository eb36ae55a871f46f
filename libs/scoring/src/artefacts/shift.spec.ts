import { seededRng } from '@assay/kernel';
import { describe, expect, it } from '@jest/globals';
import type { Clusters } from '../estimate.js';
import { atOnce } from '../resampling/work.js';
import { separability } from './separability.js';
import { unseenShare, wordCounts } from './word-counts.js';

/** Two sets of texts; in the second, a share of the texts has a word of its own. */
function drawn(examples: number, shifted: number, seed: string) {
  const rng = seededRng(seed);
  const isSecond = Uint8Array.from({ length: examples }, (_, index) => index % 2);
  const documents = Array.from(isSecond, (second) => [
    second === 1 && rng.next() < shifted ? 'new' : `noise${rng.below(20)}`,
    `noise${rng.below(20)}`,
    `noise${rng.below(20)}`,
  ]);
  return { documents, isSecond };
}

describe('separability', () => {
  const of = (documents: readonly (readonly string[])[], isSecond: Uint8Array, clusters: Clusters | null = null) =>
    atOnce(separability(documents, isSecond, clusters, 'seed'));

  it('is the share of pairs in the right order', () => {
    const { documents, isSecond } = drawn(2000, 0.5, 'half');
    const found = of(documents, isSecond)!;
    // half of the second set is known by its word; the others are in the right order by chance
    expect(found.value).toBeGreaterThan(0.7);
    expect(found.value).toBeLessThan(0.8);
    expect(found.low!).toBeGreaterThan(0.68);
    expect(found.high! - found.low!).toBeLessThan(0.09);
  });

  it('excludes one half in few draws of equal sets', () => {
    let excluded = 0;
    for (let draw = 0; draw < 100; draw++) {
      const { documents, isSecond } = drawn(200, 0, `equal ${draw}`);
      const { low, high } = of(documents, isSecond)!;
      if (low! > 0.5 || high! < 0.5) excluded++;
    }
    expect(excluded).toBeLessThanOrEqual(9);
  });

  it('has an interval even if every pair is in the right order', () => {
    const isSecond = Uint8Array.from({ length: 100 }, (_, index) => index % 2);
    const found = of(
      Array.from(isSecond, (second) => [second === 1 ? 'new' : 'old']),
      isSecond,
    )!;
    expect([found.value, found.high]).toEqual([1, 1]);
    expect(found.low!).toBeGreaterThan(0.9);
    expect(found.low!).toBeLessThan(1);
  });

  it('is one half for texts without words', () => {
    const isSecond = Uint8Array.from({ length: 100 }, (_, index) => index % 2);
    expect(
      of(
        Array.from(isSecond, () => []),
        isSecond,
      )!.value,
    ).toBe(0.5);
  });

  it('does not learn the clusters', () => {
    // a cluster has a word of its own and belongs to one set: only a divided cluster could teach it
    const isSecond = Uint8Array.from({ length: 400 }, (_, index) => Math.floor(index / 10) % 2);
    const of10 = Int32Array.from({ length: 400 }, (_, index) => Math.floor(index / 10));
    const documents = Array.from(of10, (cluster) => [`topic${cluster}`]);
    expect(of(documents, isSecond)!.value).toBeGreaterThan(0.95);
    const whole = of(documents, isSecond, { of: of10, count: 40 })!;
    expect(whole.value).toBeLessThan(0.6);
    expect(whole.low!).toBeLessThanOrEqual(0.5);
  });

  it('is wider for clusters of equal examples', () => {
    const { documents, isSecond } = drawn(400, 0.3, 'clusters');
    const repeated = documents.flatMap((document) => [document, document, document]);
    const repeatedSet = Uint8Array.from({ length: 1200 }, (_, index) => isSecond[Math.floor(index / 3)]!);
    const clusters = { of: Int32Array.from({ length: 1200 }, (_, index) => Math.floor(index / 3)), count: 400 };
    const single = of(documents, isSecond)!;
    const clustered = of(repeated, repeatedSet, clusters)!;
    expect(clustered.standardError! / single.standardError!).toBeGreaterThan(0.85);
    expect(clustered.standardError! / single.standardError!).toBeLessThan(1.15);
  });

  it('is unknown for few examples or clusters', () => {
    const { documents, isSecond } = drawn(58, 0, 'few');
    expect(of(documents, isSecond)).toBeNull();
    expect(of([], new Uint8Array())).toBeNull();
    const more = drawn(100, 0, 'few clusters');
    const clusters = { of: Int32Array.from({ length: 100 }, (_, index) => index % 9), count: 9 };
    expect(of(more.documents, more.isSecond, clusters)).toBeNull();
  });
});

describe('words', () => {
  const before = wordCounts([['a', 'b'], ['a'], ['a', 'b', 'c', 'd']]);

  it('are counted, with the quartiles of the lengths', () => {
    expect(Object.fromEntries(before.counts)).toEqual({ a: 3, b: 2, c: 1, d: 1 });
    expect([before.total, before.lengths]).toEqual([7, [1.5, 2, 3]]);
    expect(wordCounts([])).toEqual({ counts: new Map(), total: 0, lengths: null });
  });

  it('are new where they did not occur before', () => {
    const after = wordCounts([['a', 'e', 'e', 'b']]);
    expect(unseenShare(after, before)).toBe(0.5);
    expect(unseenShare(before, after)).toBeCloseTo(2 / 7, 12);
    expect(unseenShare(wordCounts([[]]), before)).toBeNull();
  });
});
