import { seededRng } from '@assay/kernel';
import { describe, expect, it } from '@jest/globals';
import { compareAnswers } from './comparison/compare-answers.js';
import { comparePaired } from './comparison/compare-paired.js';
import { JointAnswers } from './comparison/joint-answers.js';
import { clustersAmong, crossedClusters, fewestClusters } from './crossed-clusters.js';
import type { Clusters, Partition } from './estimate.js';
import { bellMcCaffrey, clusteredError, correlatedFreedom } from './intervals/bell-mccaffrey.js';
import { deviation } from './intervals/bootstrap.js';
import { meanEstimate } from './intervals/t-interval.js';
import { proportionEstimate, proportionOfClusters, wilson } from './intervals/wilson.js';
import { MetricAccumulator } from './metric-accumulator.js';
import { perturbationScores } from './perturbation-scores.js';
import { drawingOf } from './resampling/drawing.js';
import { meanResamples } from './resampling/resampled-values.js';
import { score } from './score.js';

const partition = (of: readonly number[]): Partition => ({ of: Int32Array.from(of), count: Math.max(...of) + 1 });

/** Each of `annotators` writes `each` examples, on contexts in turn. */
function collected(annotators: number, contexts: number, each: number): Clusters {
  const rows = Array.from({ length: annotators * each }, (_, row) => row);
  return crossedClusters(
    partition(rows.map((row) => row % annotators)),
    partition(rows.map((row) => Math.floor(row / annotators) % contexts)),
  );
}

function product(one: readonly (readonly number[])[], other: readonly (readonly number[])[]): number[][] {
  return one.map((row) =>
    other[0]!.map((_, column) => row.reduce((sum, value, at) => sum + value * other[at]![column]!, 0)),
  );
}

const drawn = (length: number, rate: number): Uint8Array => {
  const rng = seededRng(`scores ${length}`);
  return Uint8Array.from({ length }, () => (rng.next() < rate ? 1 : 0));
};

describe('two ways of clustering', () => {
  it('are crossed, with the groups that share both', () => {
    const { of, crossed } = crossedClusters(partition([0, 0, 1, 1, 0]), partition([0, 1, 0, 1, 0]));
    expect([...of]).toEqual([0, 0, 1, 1, 0]);
    expect(crossed).toEqual({ second: partition([0, 1, 0, 1, 0]), both: partition([0, 1, 2, 3, 0]) });
  });

  it('are the wider one if one lies within the other', () => {
    const [wide, narrow] = [partition([0, 0, 1, 1]), partition([0, 1, 2, 2])];
    expect(crossedClusters(wide, narrow)).toBe(wide);
    expect(crossedClusters(narrow, wide)).toBe(wide);
    expect(crossedClusters(wide, wide)).toBe(wide);
  });

  it('may be nested among some of the examples only', () => {
    const clusters = crossedClusters(partition([0, 0, 1, 1, 1]), partition([0, 1, 0, 1, 2]));
    expect(clusters.crossed).toBeDefined();
    expect(clustersAmong(clusters, Int32Array.of(2, 3, 4))).toEqual(partition([0, 0, 0]));
    expect(clustersAmong(clusters, Int32Array.of(0, 1, 2, 3)).crossed!.both.count).toBe(4);
  });

  it('have as many clusters as the way with fewer', () => {
    expect(fewestClusters(collected(6, 20, 10))).toBe(6);
    expect(fewestClusters(collected(20, 6, 12))).toBe(6);
  });
});

describe('the error of a mean over crossed clusters', () => {
  /** Σ over the clusters of e² ÷ (1 − share), ÷ n². */
  function variance(scores: Uint8Array, { of, count }: Partition): number {
    const mean = scores.reduce((sum, each) => sum + each, 0) / scores.length;
    let found = 0;
    for (let cluster = 0; cluster < count; cluster++) {
      const own = scores.filter((_, example) => of[example] === cluster);
      const residual = own.reduce((sum, each) => sum + each - mean, 0);
      found += residual ** 2 / (1 - own.length / scores.length) / scores.length ** 2;
    }
    return found;
  }

  it('is V(one) + V(other) − V(both), at least the larger of the two', () => {
    const clusters = collected(8, 15, 40);
    const { second, both } = clusters.crossed!;
    for (const rate of [0.2, 0.5, 0.8]) {
      const scores = drawn(320, rate);
      const ways = [variance(scores, clusters), variance(scores, second)] as const;
      const expected = Math.max(ways[0] + ways[1] - variance(scores, both), ...ways);
      expect(clusteredError(scores, clusters).standardError).toBeCloseTo(Math.sqrt(expected), 12);
    }
  });

  it('has the smaller degrees of freedom', () => {
    const clusters = collected(8, 15, 40);
    const scores = drawn(320, 0.5);
    expect(clusteredError(scores, clusters).freedom).toBeCloseTo(7, 9);
    expect(clusteredError(scores, clusters.crossed!.second).freedom).toBeGreaterThan(7);
  });

  it('has fewer degrees of freedom where large clusters correlate', () => {
    const sizes = [60, 30, 20, 15, 12, 10, 8, 7];
    const first = partition(sizes.flatMap((size, cluster) => Array<number>(size).fill(cluster)));
    const clusters = crossedClusters(first, partition(Array.from(first.of, (_, row) => row % 40)));
    const independent = clusteredError(drawn(162, 0.5), first).freedom;
    const alike = Uint8Array.from(first.of, (cluster, row) => (cluster % 2 === 0 || row % 5 === 0 ? 1 : 0));
    const found = clusteredError(alike, clusters).freedom;
    expect(found).toBeGreaterThan(independent / 2);
    expect(found).toBeLessThan(independent - 0.5);
  });

  const groups = [
    { examples: 60, sum: 41, times: 1 },
    { examples: 20, sum: 8, times: 2 },
    { examples: 9, sum: 7, times: 3 },
    { examples: 1, sum: 1, times: 5 },
  ];

  it.each([
    ['independent', 0.03, 0.03],
    ['correlated', 0.08, 0.03],
    ['less alike than at random', 0.02, 0.03],
  ])('has the degrees of freedom of the covariance of the residuals, %s', (_, error, ofBoth) => {
    const sizes = groups.flatMap(({ examples, times }) => Array<number>(times).fill(examples));
    const examples = sizes.reduce((sum, size) => sum + size, 0);
    const pairs = sizes.reduce((sum, size) => sum + size * (size - 1), 0);
    const shared = Math.max(0, (examples ** 2 * (error ** 2 - ofBoth ** 2)) / pairs);
    const identity = sizes.map((_size, row) => sizes.map((_other, column) => Number(row === column)));
    const share = (place: number): number => sizes[place]! / examples;
    // residual sums are M s, with M = I − p 1ᵀ, for independent cluster sums s
    const residual = identity.map((row, place) => row.map((one) => one - share(place)));
    const variances = sizes.map((size) => size * examples * ofBoth ** 2 + size * (size - 1) * shared);
    const weighted = product(
      product(
        residual,
        identity.map((row, place) => row.map((one) => one * variances[place]!)),
      ),
      residual[0]!.map((_size, column) => residual.map((row) => row[column]!)),
    ).map((row, place) => row.map((value) => value / (1 - share(place))));
    const trace = (matrix: readonly (readonly number[])[]): number =>
      matrix.reduce((sum, row, place) => sum + row[place]!, 0);
    const expected = trace(weighted) ** 2 / trace(product(weighted, weighted));
    expect(correlatedFreedom(groups, error, ofBoth)).toBeCloseTo(expected, 9);
  });

  it('has those of independent examples where the clusters do not correlate, or all scores are equal', () => {
    const { freedom } = bellMcCaffrey(groups);
    expect(correlatedFreedom(groups, 0.03, 0.03)).toBeCloseTo(freedom, 9);
    expect(correlatedFreedom(groups, 0, 0)).toBeCloseTo(freedom, 9);
  });
});

describe('intervals over crossed clusters', () => {
  it('are not given below five clusters in either way', () => {
    for (const clusters of [collected(4, 20, 60), collected(60, 4, 12)]) {
      expect(clusters.crossed).toBeDefined();
      const scores = drawn(clusters.of.length, 0.5);
      const none = { low: null, high: null, why: 'too few clusters' };
      expect(proportionEstimate(scores, clusters)).toMatchObject(none);
      expect(meanEstimate(scores, clusters, [0, 1])).toMatchObject(none);
      expect(macroF1(scores, clusters)).toMatchObject(none);
      expect(comparePaired({ ...pair(scores), clusters })).toMatchObject({ p: null, difference: { low: null } });
    }
  });

  it('use the smaller number of clusters where all answers are right', () => {
    const clusters = collected(6, 20, 40);
    const scores = new Uint8Array(240).fill(1);
    expect(proportionEstimate(scores, clusters)).toMatchObject(wilson(1, 6));
    expect(meanEstimate(scores, clusters, [0, 1])).toMatchObject(wilson(1, 6));
    // a bootstrapped figure needs 30 effective examples
    const many = collected(32, 45, 45);
    expect(macroF1(new Uint8Array(many.of.length).fill(1), many)).toMatchObject({
      value: 1,
      low: wilson(1, 32).low,
      high: 1,
    });
  });

  it('are wider than over either way where both matter', () => {
    const clusters = collected(12, 30, 30);
    const rng = seededRng('both');
    const annotators = Float64Array.from({ length: 12 }, () => 0.4 * (rng.next() - 0.5));
    const contexts = Float64Array.from({ length: 30 }, () => 0.4 * (rng.next() - 0.5));
    const scores = Uint8Array.from(clusters.of, (annotator, row) =>
      rng.next() < 0.5 + annotators[annotator]! + contexts[clusters.crossed!.second.of[row]!]! ? 1 : 0,
    );
    const width = (of: Partition): number => {
      const { low, high } = proportionEstimate(scores, of);
      return high! - low!;
    };
    expect(width(clusters)).toBeGreaterThan(width({ of: clusters.of, count: 12 }));
    expect(width(clusters)).toBeGreaterThan(width(clusters.crossed!.second));
  });

  it('are the same from counts of clusters', () => {
    const clusters = collected(9, 14, 20);
    const scores = drawn(180, 0.3);
    const groups = ({ of, count }: Partition) =>
      Array.from({ length: count }, (_, cluster) => {
        const own = scores.filter((_, example) => of[example] === cluster);
        return { examples: own.length, sum: own.reduce((sum, each) => sum + each, 0), times: 1 };
      });
    const { second, both } = clusters.crossed!;
    const counted = proportionOfClusters(groups(clusters), { second: groups(second), both: groups(both) })!;
    const expected = proportionEstimate(scores, clusters);
    expect(counted.low).toBeCloseTo(expected.low!, 12);
    expect(counted.high).toBeCloseTo(expected.high!, 12);
  });

  it('take nested counts as the wider clusters alone', () => {
    const one = [{ examples: 20, sum: 8, times: 6 }];
    const both = [{ examples: 5, sum: 2, times: 24 }];
    expect(proportionOfClusters(one, { second: both, both })).toEqual(proportionOfClusters(one));
    expect(proportionOfClusters(both, { second: one, both })).toEqual(proportionOfClusters(one));
  });

  const macroF1 = (scores: Uint8Array, clusters: Clusters) => {
    const gold = Array.from(scores, (_, row) => (row % 3 === 0 ? 'a' : 'b'));
    const predicted = gold.map((label, row) => (scores[row] === 1 ? label : label === 'a' ? 'b' : 'a'));
    const scored = { gold: gold.map((label) => [label]), predicted };
    return score(scored, { output: 'label', labels: ['a', 'b'], metrics: ['macro_f1'], seed: 'x', clusters }).metrics[
      'macro_f1'
    ]!;
  };
});

const pair = (scores: Uint8Array) => ({
  a: Float64Array.from(scores),
  b: Float64Array.from(scores, (each, row) => (row % 7 === 0 ? 1 - each : each)),
  binary: true,
  seed: 'pair',
});

describe('draws of crossed clusters', () => {
  it('weigh an example by the product of two independent draws', () => {
    const clusters = collected(5, 5, 25);
    const { second, both } = clusters.crossed!;
    const drawing = drawingOf(clusters, clusters.of.length);
    expect(drawing).toMatchObject({ groups: 25, units: 5 });
    let draws = 0;
    const seen = new Set<string>();
    for (const chunk of drawing.draws('seed')) {
      for (const times of chunk) {
        draws++;
        // the table of weights has rank one, with 5 × 5 units in total
        const weight = (a: number, c: number): number => {
          const example = clusters.of.findIndex((annotator, row) => annotator === a && second.of[row] === c);
          return times[both.of[example]!]!;
        };
        for (const [a, c] of [
          [0, 1],
          [2, 3],
          [4, 0],
        ] as const) {
          expect(weight(a, c) * weight(1, 2)).toBe(weight(a, 2) * weight(1, c));
        }
        expect(Array.from({ length: 25 }, (_, group) => times[group]!).reduce((sum, each) => sum + each, 0)).toBe(25);
        seen.add(Array.from({ length: 25 }, (_, group) => times[group]!).join());
      }
    }
    expect(draws).toBe(1000);
    expect(seen.size).toBeGreaterThan(900);
  });

  it('differ between ways with the same number of clusters', () => {
    const clusters = collected(40, 40, 40);
    const resamples = meanResamples(drawn(1_600, 0.5), clusters, 'seed');
    // equal draws would weigh the diagonal twice
    expect(deviation(resamples) / clusteredError(drawn(1_600, 0.5), null).standardError).toBeLessThan(2);
  });

  it('are shared by all models', async () => {
    const clusters = collected(10, 12, 30);
    const scores = drawn(300, 0.6);
    const complete = () => {
      const accumulator = new MetricAccumulator({
        output: 'label',
        labels: ['a', 'b'],
        metrics: ['accuracy'],
        seed: 's',
      });
      for (const [row, right] of scores.entries()) {
        const [cluster, secondCluster] = [String(clusters.of[row]), String(clusters.crossed!.second.of[row])];
        accumulator.add({ gold: ['a'], predicted: right === 1 ? 'a' : 'b', cluster, secondCluster });
      }
      return accumulator.complete(() => Promise.resolve());
    };
    const { resamples, metrics } = await complete();
    expect(resamples['accuracy']).toEqual((await complete()).resamples['accuracy']);
    expect(resamples['accuracy']).toEqual(Float32Array.from(meanResamples(scores, clusters, 's')));
    expect(metrics['accuracy']).toEqual(proportionEstimate(scores, clusters));
  });
});

describe('comparisons over crossed clusters', () => {
  it('use the clustered t test', () => {
    const clusters = collected(10, 12, 30);
    const found = comparePaired({ ...pair(drawn(300, 0.7)), clusters });
    expect(found).toMatchObject({ test: 'clustered-t', draws: null });
    expect(found.p).toBeGreaterThan(0);
    expect(found.p).toBeLessThanOrEqual(1);
    expect(found.p! < 0.05).toBe(found.difference.low! > 0 || found.difference.high! < 0);
  });

  it('find no difference between equal answers', () => {
    const clusters = collected(10, 12, 30);
    const equal = { ...pair(new Uint8Array(300)), b: new Float64Array(300), clusters };
    expect(comparePaired(equal)).toMatchObject({ p: 1, difference: { value: 0 } });
    const graded = comparePaired({ ...equal, binary: false, range: [0, 1] });
    expect(graded.p).toBe(1);
    expect(graded.difference.low).toBeLessThan(0);
    expect(graded.difference.high).toBeGreaterThan(0);
  });

  it('test whole-set metrics without swaps, on slices too', async () => {
    const clusters = collected(10, 12, 30);
    const [one, other] = [drawn(300, 0.9), drawn(301, 0.6)];
    const answers = new JointAnswers({
      models: 2,
      output: 'label',
      labels: ['a', 'b'],
      metrics: ['accuracy', 'macro_f1'],
      slices: ['half'],
    });
    for (let row = 0; row < 300; row++) {
      const gold = row % 2 === 0 ? 'a' : 'b';
      const predicted = (right: number | undefined): string => (right === 1 ? gold : gold === 'a' ? 'b' : 'a');
      answers.add({
        gold: [gold],
        answers: [one, other].map((scores) => ({ predicted: predicted(scores[row]), probabilities: null })),
        cluster: String(clusters.of[row]),
        secondCluster: String(clusters.crossed!.second.of[row]),
        slices: { half: [row < 150 ? 'first' : 'second'] },
      });
    }
    const { metrics, slices } = await compareAnswers(answers, 'seed', () => Promise.resolve());
    for (const found of [metrics, slices['half']!['first']!.metrics]) {
      expect(found['accuracy']).toMatchObject({ test: 'clustered-t', draws: null });
      expect(found['macro_f1']).toMatchObject({ test: 'clustered-t', draws: null });
      expect(found['macro_f1']!.p).toBeLessThan(0.01);
    }
  });
});

describe('perturbation scores over crossed clusters', () => {
  const clusters = collected(8, 10, 10);
  const originals = Array.from(clusters.of, (annotator, row) => ({
    ...{ id: String(row), gold: ['a'], predicted: 'a', probabilities: null },
    ...{ cluster: String(annotator), secondCluster: String(clusters.crossed!.second.of[row]) },
  }));
  const variants = originals.map(({ id }, row) => ({
    ...{ original: id, transform: 'case', gold: ['a'], predicted: row % 5 === 0 ? 'b' : 'a', probabilities: null },
  }));
  const scored = (given: typeof variants) =>
    perturbationScores(
      {
        ...{ kind: 'robustness', metric: 'accuracy', output: 'label', labels: ['a', 'b'], seed: 'seed' },
        transforms: [{ name: 'case', validated: 0, kept: 0, ranks: true }],
      },
      originals,
      given,
    );

  it('have the intervals of the two ways', () => {
    const { metrics, result } = scored(variants);
    const right = Uint8Array.from(variants, ({ predicted }) => (predicted === 'a' ? 1 : 0));
    expect(metrics['robustness']).toEqual(proportionEstimate(right, clusters));
    expect(result.drop).toMatchObject({ value: expect.closeTo(0.2, 12) });
    expect(result.drop!.standardError).toBeCloseTo(clusteredError(right, clusters).standardError, 12);
  });

  it('give a drop of nothing an interval with a width', () => {
    const { drop } = scored(variants.map((variant) => ({ ...variant, predicted: 'a' }))).result;
    expect(drop!.value).toBe(0);
    expect(drop!.low).toBeLessThan(0);
    expect(drop!.high).toBeGreaterThan(0);
  });
});
