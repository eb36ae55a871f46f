import { describe, expect, it } from '@jest/globals';
import { metricExample, metricValue } from '../../../../test/factories/models/metric-value.js';
import { metricNamed } from '../metrics/registry.js';
import { referenceRows } from './reference-rows.js';
import { score } from '../score.js';

const counts = { b: 30, a: 60, c: 10, never: 0 };
const gold = Object.entries(counts).flatMap(([label, count]) => Array.from({ length: count }, () => [label]));

describe('referenceRows', () => {
  it('answers the most frequent label always, as if a model had done it', () => {
    const [majority] = referenceRows(counts, ['accuracy', 'macro_f1', 'mcc']);
    const { metrics } = score(
      { gold, predicted: gold.map(() => 'a') },
      { metrics: ['accuracy', 'macro_f1', 'mcc'], seed: '' },
    );

    expect(majority).toMatchObject({ name: 'majority', label: 'a' });
    for (const name of ['accuracy', 'macro_f1', 'mcc'])
      expect(majority!.metrics[name]).toBeCloseTo(metrics[name]!.value, 12);
  });

  it('expects of a guess by the labels’ shares what it gives on average', () => {
    const random = referenceRows(counts, ['accuracy', 'macro_f1', 'mcc'])[1]!;

    expect(random.label).toBeNull();
    expect(random.metrics['accuracy']).toBeCloseTo(0.6 ** 2 + 0.3 ** 2 + 0.1 ** 2, 12);
    expect(random.metrics['macro_f1']).toBeCloseTo(1 / 3, 12);
    expect(random.metrics['mcc']).toBeCloseTo(0, 12);
  });

  it('has the metrics of probabilities of one who knows the shares alone', () => {
    const labels = ['b', 'a', 'c'];
    const names = ['brier', 'log_loss', 'ece', 'auroc'];
    const knowing = gold.map(([label]) => metricExample(label!, 'a', [0.3, 0.6, 0.1]));

    for (const { metrics } of referenceRows(counts, names)) {
      expect(Object.keys(metrics)).toEqual(names);
      for (const name of names) {
        expect(metrics[name]).toBeCloseTo(metricValue(metricNamed(name), knowing, { labels }), 12);
      }
    }
  });

  it('takes the first name of equals, leaves out what labels do not give, and is empty without labels', () => {
    expect(referenceRows({ z: 2, y: 2 }, ['accuracy', 'squad_f1'])[0]).toEqual({
      name: 'majority',
      label: 'y',
      metrics: { accuracy: 0.5 },
    });
    expect(referenceRows({}, ['accuracy'])).toEqual([]);
  });
});
