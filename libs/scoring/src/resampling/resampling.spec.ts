import { seededRng } from '@assay/kernel';
import { describe, expect, it } from '@jest/globals';
import type { Clusters } from '../estimate.js';
import { RecordedMetrics } from '../recorded/recorded-metrics.js';
import type { MetricExample } from '../metric.js';
import { MetricAccumulator, type ScoredExample } from '../metric-accumulator.js';
import { metricNamed } from '../metrics/registry.js';
import { clusterDraws, drawnGroups, RESAMPLES } from './cluster-draws.js';
import { groupsOf } from './drawing.js';
import { meanResamples } from './resampled-values.js';
import { inTurns } from './work.js';

const noPause = () => Promise.resolve();
const mean = (values: ArrayLike<number>): number =>
  Array.from(values).reduce((sum, each) => sum + each, 0) / values.length;
const deviation = (values: ArrayLike<number>): number => {
  const average = mean(values);
  return Math.sqrt(Array.from(values).reduce((sum, each) => sum + (each - average) ** 2, 0) / (values.length - 1));
};
const correlation = (one: ArrayLike<number>, other: ArrayLike<number>): number => {
  const [a, b] = [mean(one), mean(other)];
  const product = Array.from(one).reduce((sum, each, index) => sum + (each - a) * (other[index]! - b), 0);
  return product / (one.length - 1) / deviation(one) / deviation(other);
};

async function resamples(examples: readonly ScoredExample[], metrics: readonly string[], seed = 'dataset') {
  const accumulator = new MetricAccumulator({ metrics, seed });
  for (const example of examples) accumulator.add(example);
  return accumulator.complete(noPause);
}

describe('draws of clusters', () => {
  it('draw as many as there are, each as often as any other', () => {
    const groups = 70;
    const drawn = new Float64Array(groups);
    let first = 0;
    let resamples = 0;
    let squares = 0;
    for (const chunk of clusterDraws('seed', groups)) {
      for (const times of chunk) {
        expect(times.reduce((sum, each) => sum + each, 0)).toBe(groups);
        for (const [group, each] of times.entries()) drawn[group]! += each;
        squares += (times[0]! - 1) ** 2;
        first += times[0]!;
        resamples++;
      }
    }

    expect(resamples).toBe(RESAMPLES);
    // Binomial(70,000, 1/70) a group: five standard deviations
    for (const each of drawn) expect(Math.abs(each - 1000)).toBeLessThan(5 * Math.sqrt(1000 * (69 / 70)));
    // one group in one draw: Binomial(70, 1/70)
    expect(first / resamples).toBeCloseTo(1, 0.5);
    expect(Math.abs(squares / resamples - 69 / 70)).toBeLessThan(0.25);
  });

  it('have no favourites where the number does not divide 65536', () => {
    const groups = 9973;
    const drawn = new Float64Array(groups);
    for (const chunk of clusterDraws('favourites', groups)) {
      for (const times of chunk) for (let group = 0; group < groups; group++) drawn[group]! += times[group]!;
    }

    // chi-squared with 9972 degrees of freedom: five standard deviations
    const excess = drawn.reduce((sum, each) => sum + (each - 1000) ** 2 / 1000, 0) - (groups - 1);
    expect(Math.abs(excess)).toBeLessThan(5 * Math.sqrt(2 * groups));
  });

  it('pool more than 10,000 clusters by their number', () => {
    expect([drawnGroups(3), drawnGroups(10_000), drawnGroups(10_001)]).toEqual([3, 10_000, 10_000]);

    const clusters: Clusters = { of: Int32Array.of(0, 10_000, 12_345, 2), count: 12_346 };
    expect([...groupsOf(clusters, 4)]).toEqual([0, 0, 2345, 2]);
    expect([...groupsOf(null, 3)]).toEqual([0, 1, 2]);
  });
});

describe('resampled values', () => {
  const rng = seededRng('answers');
  const gold = Array.from({ length: 400 }, () => ['a', 'b', 'c'][rng.below(3)]!);
  const answers = (share: number, seed: string): ScoredExample[] => {
    const own = seededRng(seed);
    return gold.map((label) => ({ gold: [label], predicted: own.next() < share ? label : 'a' }));
  };

  it('are of the same draws for all models on the same examples', async () => {
    const one = answers(0.7, 'one');
    // right and wrong exchanged on every example: its accuracy in a draw is what the other lacks
    const opposite = one.map(({ gold: [label], predicted }) => ({
      gold: [label!],
      predicted: predicted === label ? 'none' : label!,
    }));
    const first = (await resamples(one, ['accuracy'])).resamples['accuracy']!;
    const second = (await resamples(opposite, ['accuracy'])).resamples['accuracy']!;

    for (let draw = 0; draw < RESAMPLES; draw++) expect(first[draw]! + second[draw]!).toBeCloseTo(1, 6);
    expect(deviation(first)).toBeGreaterThan(0.01);
  });

  it.each([
    ['of clusters', (index: number) => `context ${index >> 2}`],
    ['of examples of which some have a cluster', (index: number) => (index % 3 === 0 ? `context ${index >> 3}` : '')],
    ['of examples without any', () => null],
  ])('depend on the draws %s and not on what was answered', async (_, clusterOf) => {
    const cluster = (rows: readonly ScoredExample[]) =>
      rows.map((row, index) => ({ ...row, cluster: clusterOf(index) }));
    const part = (rows: readonly ScoredExample[], right: number) =>
      rows.map((row, index) => ({ ...row, predicted: (index % 5 < 2 ? 0 : 1) === right ? row.gold[0]! : 'none' }));
    const even = (await resamples(cluster(part(answers(0, ''), 0)), ['accuracy'])).resamples['accuracy']!;
    const odd = (await resamples(cluster(part(answers(0, ''), 1)), ['accuracy'])).resamples['accuracy']!;

    // which part of the examples comes up in a draw: what one gains the other loses
    expect(correlation(even, odd)).toBeLessThan(-0.999);
  });

  it('are of one draw for all metrics of a model', async () => {
    const { resamples: values } = await resamples(answers(0.6, 'metrics'), ['accuracy', 'micro_f1', 'macro_f1']);

    // every example is answered: micro F1 is accuracy
    expect(values['micro_f1']).toEqual(values['accuracy']);
    expect(correlation(values['macro_f1']!, values['accuracy']!)).toBeGreaterThan(0.8);
  });

  it('scatter as the standard error says, also in pooled clusters', async () => {
    const { resamples: values, metrics } = await resamples(answers(0.6, 'scatter'), ['accuracy', 'macro_f1']);
    for (const name of ['accuracy', 'macro_f1']) {
      expect(values[name]).toHaveLength(RESAMPLES);
      expect(mean(values[name]!)).toBeCloseTo(metrics[name]!.value, 1.5);
      expect(deviation(values[name]!) / metrics[name]!.standardError!).toBeCloseTo(1, 0.7);
    }

    const own = seededRng('pooled');
    const many = Uint8Array.from({ length: 25_000 }, () => own.below(2));
    expect(deviation(meanResamples(many, null, 'pooled')) / Math.sqrt(0.25 / 25_000)).toBeCloseTo(1, 0.7);
  });

  it('are other ones for another dataset, and the same to the bit for the same', async () => {
    const rows = answers(0.6, 'seeds');
    const values = async (seed: string) => (await resamples(rows, ['accuracy'], seed)).resamples['accuracy']!;

    expect(await values('one')).toEqual(await values('one'));
    expect(Math.abs(correlation(await values('one'), await values('two')))).toBeLessThan(0.15);
    const right = Uint8Array.from(rows, ({ gold: [label], predicted }) => (predicted === label ? 1 : 0));
    expect(Float32Array.from(meanResamples(right, null, 'one'))).toEqual(await values('one'));
  });

  it('are none of a single cluster', async () => {
    const rows = answers(0.6, 'single').map((row) => ({ ...row, cluster: 'the only one' }));

    expect((await resamples(rows, ['accuracy', 'macro_f1'])).resamples).toEqual({});
  });

  it('let others have their turn', async () => {
    let turns = 0;
    const accumulator = new MetricAccumulator({ metrics: ['accuracy'], seed: '' });
    for (const row of answers(0.6, 'turns')) accumulator.add(row);
    await accumulator.complete(() => Promise.resolve(turns++));

    expect(turns).toBeGreaterThanOrEqual(20);
  });

  it('hand an error to the caller that waits', async () => {
    const failing = (function* () {
      throw new Error('no');
    })();

    await expect(inTurns(failing, noPause)).rejects.toThrow('no');
  });
});

describe('a metric for draws is that of the examples repeated as often as they were drawn', () => {
  const rng = seededRng('kinds');
  const labels = ['a', 'b', 'c'];
  const ofLabels = Array.from({ length: 40 }, (): MetricExample => {
    const raw = labels.map(() => rng.next());
    const sum = raw.reduce((total, each) => total + each, 0);
    return {
      gold: [labels[rng.below(3)]!],
      predicted: labels[rng.below(3)]!,
      probabilities: raw.map((each) => each / sum),
    };
  });
  const ofNumbers = Array.from({ length: 40 }, (): MetricExample => {
    const value = rng.next() * 10;
    return { gold: [String(value)], predicted: String(value + rng.next() * 4), probabilities: null };
  });
  const words = ['the', 'cat', 'sat', 'on', 'a', 'mat', 'today'];
  const sentence = (): string => Array.from({ length: 8 }, () => words[rng.below(words.length)]!).join(' ');
  const ofTexts = Array.from({ length: 40 }, (): MetricExample => {
    const reference = sentence();
    const predicted = rng.next() < 0.4 ? reference : sentence();
    return { gold: [reference], predicted, probabilities: null };
  });

  it.each([
    ['accuracy', 'label', ofLabels],
    ['macro_f1', 'label', ofLabels],
    ['mcc', 'label', ofLabels],
    ['auroc', 'label', ofLabels],
    ['ece', 'label', ofLabels],
    ['log_loss', 'label', ofLabels],
    ['rmse', 'number', ofNumbers],
    ['spearman', 'number', ofNumbers],
    ['bleu', 'text', ofTexts],
    ['rouge_l', 'text', ofTexts],
    ['wer', 'text', ofTexts],
  ] as const)('%s', (name, output, examples) => {
    const metric = metricNamed(name, output);
    const recorded = (of: readonly MetricExample[]) => {
      const metrics = new RecordedMetrics([metric], { labels: output === 'label' ? labels : [] });
      for (const example of of) metrics.add(example);
      return metrics.all[0]!;
    };
    const all = (count: number) => Int32Array.from({ length: count }, (_, row) => row);
    const rows = all(examples.length).filter((row) => row % 3 !== 0);
    const groupOf = rows.map((row) => row % 7);
    const times = Uint8Array.of(2, 0, 1, 3, 0, 1, 1);
    const repeated = Array.from(rows, (row) => Array.from({ length: times[row % 7]! }, () => examples[row]!)).flat();
    const subset = Array.from(rows, (row) => examples[row]!);

    expect(recorded(examples).statistic(rows, groupOf)(times)).toBeCloseTo(
      recorded(repeated).reader()(all(repeated.length)),
      10,
    );
    expect(recorded(examples).reader()(rows)).toBeCloseTo(recorded(subset).reader()(all(subset.length)), 10);
    expect(recorded(subset).statistic(null, groupOf)(times)).toBeCloseTo(
      recorded(examples).statistic(rows, groupOf)(times),
      10,
    );
    expect(recorded(examples).statistic(rows, groupOf)(new Uint8Array(7))).toBeNaN();
  });
});
