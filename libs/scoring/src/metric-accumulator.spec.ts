import { describe, expect, it } from '@jest/globals';
import { seededRng } from '@assay/kernel';
import { MetricAccumulator, type ScoredExample } from './metric-accumulator.js';
import { score } from './score.js';

const LABELS = ['a', 'b', 'c'] as const;

function examples(count: number, seed: string): ScoredExample[] {
  const rng = seededRng(seed);
  return Array.from({ length: count }, (_, index) => {
    const gold = LABELS[rng.below(3)]!;
    const predicted = rng.next() < 0.6 ? gold : LABELS[rng.below(3)]!;
    const tags = [['x'], ['y'], ['x', 'y', 'x'], ['']][rng.below(4)]!;
    return { gold: [gold], predicted, cluster: `context ${index >> 2}`, slices: { tags } };
  });
}

function accumulate(rows: readonly ScoredExample[], metrics: readonly string[], seed = 'seed') {
  const accumulator = new MetricAccumulator({ metrics, seed, slices: [{ field: 'tags' }] });
  for (const row of rows) accumulator.add(row);
  return accumulator.result();
}

describe('MetricAccumulator', () => {
  it('scores a slice as if it were a set of its own', () => {
    const rows = examples(400, 'slices');
    const { slices } = accumulate(rows, ['accuracy', 'macro_f1']);

    for (const value of ['x', 'y']) {
      const members = rows.filter((row) => row.slices!['tags']!.includes(value));
      const own = accumulate(members, ['accuracy', 'macro_f1']);
      const slice = slices['tags']![value]!;
      expect(slice.n).toBe(members.length);
      expect(slice.metrics['accuracy']).toEqual(own.metrics['accuracy']);
      expect(slice.metrics['macro_f1']!.value).toBe(own.metrics['macro_f1']!.value);
    }
  });

  it('puts an example into each slice once and an empty value into none', () => {
    const { slices, n } = accumulate(
      [
        { gold: ['a'], predicted: 'a', slices: { tags: ['x', 'x', ''] } },
        { gold: ['a'], predicted: 'b', slices: { tags: [], other: ['z'] } },
        { gold: ['a'], predicted: null },
      ],
      ['accuracy'],
    );

    expect(n).toBe(3);
    expect(Object.keys(slices)).toEqual(['tags']);
    expect(Object.keys(slices['tags']!)).toEqual(['x']);
    expect(slices['tags']!['x']).toMatchObject({ n: 1, metrics: { accuracy: { value: 1 } } });
  });

  it('takes a slice by any name', () => {
    const { slices } = accumulate(
      [{ gold: ['a'], predicted: 'a', slices: { tags: ['__proto__', 'constructor'] } }],
      ['accuracy'],
    );

    expect(Object.keys(slices['tags']!)).toEqual(['__proto__', 'constructor']);
  });

  it('counts a tolerated bad answer as wrong in every metric', () => {
    const rows = [
      { gold: ['a'], predicted: 'a' },
      { gold: ['a'], predicted: null },
    ];
    const { metrics } = accumulate(rows, ['accuracy', 'macro_f1', 'exact_match', 'squad_f1']);

    expect(metrics['accuracy']!.value).toBe(0.5);
    expect(metrics['macro_f1']!.value).toBeCloseTo(2 / 3, 15);
    // "a" is an article: what is left of it is empty
    expect(metrics['exact_match']!.value).toBe(0.5);
    expect(metrics['squad_f1']!.value).toBe(0.5);
  });

  it('widens intervals where examples share a cluster, and takes an example without one as alone', () => {
    const rng = seededRng('clusters');
    const right = Array.from({ length: 50 }, () => rng.next() < 0.5);
    const rows = Array.from({ length: 400 }, (_, index): ScoredExample => {
      const predicted = right[index >> 3]! ? 'a' : 'b';
      return { gold: ['a'], predicted, cluster: String(index >> 3) };
    });
    const alone = rows.map((row) => ({ ...row, cluster: null }));
    const mixed = rows.map((row, index) => (index < 200 ? { ...row, cluster: '' } : row));
    const width = (of: readonly ScoredExample[], metric: string): number => {
      const { low, high } = accumulate(of, [metric]).metrics[metric]!;
      return high! - low!;
    };

    for (const metric of ['accuracy', 'macro_f1']) {
      expect(width(rows, metric)).toBeGreaterThan(2 * width(alone, metric));
      expect(width(mixed, metric)).toBeGreaterThan(1.2 * width(alone, metric));
      expect(width(mixed, metric)).toBeLessThan(width(rows, metric));
    }
  });

  it('gives the same as scoring all at once', () => {
    const rows = examples(200, 'whole').map((row) => ({ gold: row.gold, predicted: row.predicted }));
    const scored = { gold: rows.map((row) => row.gold), predicted: rows.map((row) => row.predicted) };
    const metrics = ['accuracy', 'macro_f1', 'mcc'];

    expect(score(scored, { metrics, seed: 'seed' }).metrics).toEqual(accumulate(rows, metrics).metrics);
  });

  it('refuses to score nothing, an unknown metric, and free text as slices', () => {
    expect(() => accumulate([], ['accuracy'])).toThrow(expect.objectContaining({ code: 'nothing_to_score' }));
    expect(() => accumulate([], ['f2'])).toThrow(expect.objectContaining({ code: 'unknown_metric' }));

    const texts = Array.from({ length: 10_001 }, (_, index) => `text ${index}`);
    const flood = () => accumulate([{ gold: ['a'], predicted: 'a', slices: { tags: texts } }], ['accuracy']);
    expect(flood).toThrow(expect.objectContaining({ code: 'too_many_slices' }));
  });

  it('keeps a few dozen bytes an example', () => {
    const accumulator = new MetricAccumulator({
      metrics: ['accuracy', 'macro_f1'],
      seed: '',
      slices: [{ field: 'tags' }],
    });
    const before = process.memoryUsage();
    for (let index = 0; index < 50_000; index++) {
      const context = `${'a long context '.repeat(3)} ${index >> 1}`;
      accumulator.add({
        gold: ['a'],
        predicted: index % 3 ? 'a' : 'b',
        cluster: context,
        slices: { tags: [String(index % 7)] },
      });
    }
    const after = process.memoryUsage();

    expect(accumulator.count).toBe(50_000);
    expect((after.arrayBuffers - before.arrayBuffers) / 50_000).toBeLessThan(80);
  });

  it('has no figure that is no number, however far off the answers are', async () => {
    const spread = async (farthest: string) => {
      const metrics = ['mae', 'rmse', 'pearson', 'spearman'];
      const accumulator = new MetricAccumulator({ metrics, output: 'number', seed: 's', slices: [{ field: 'half' }] });
      for (let index = 0; index < 80; index++) {
        const half = [index < 40 ? 'first' : 'last'];
        accumulator.add({ gold: [String(index)], predicted: index % 9 === 0 ? farthest : '1', slices: { half } });
      }
      return accumulator.complete(() => Promise.resolve());
    };

    const finite = await spread('1e200');
    expect(finite.metrics['mae']).toMatchObject({ low: null, high: null, standardError: null });
    expect(finite.metrics['rmse']).toBeUndefined();
    for (const farthest of ['1e150', '1e200', '1e308']) {
      const found = await spread(farthest);
      const figures = JSON.stringify({ ...found, resamples: null }, (_, value: unknown) =>
        typeof value === 'number' && !Number.isFinite(value) ? 'no number' : value,
      );
      expect(figures).not.toContain('no number');
      for (const values of Object.values(found.resamples)) expect(values.every(Number.isFinite)).toBe(true);
    }
  });
});
