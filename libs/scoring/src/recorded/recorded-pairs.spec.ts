import { seededRng } from '@assay/kernel';
import { describe, expect, it } from '@jest/globals';
import type { MetricExample } from '../metric.js';
import { metricNamed } from '../metrics/registry.js';
import { everyRow } from './recorded-metric.js';
import { RecordedMetrics } from './recorded-metrics.js';
import { RecordedPairs } from './recorded-pairs.js';

const LABELS = ['a', 'b', 'c'];
const METRICS = ['macro_f1', 'mcc', 'auroc', 'ece', 'balanced_accuracy'];

describe('metrics of two models', () => {
  const rng = seededRng('pairs');
  const gold = Array.from({ length: 60 }, () => LABELS[rng.below(3)]!);
  const answer = (label: string): MetricExample => {
    const raw = LABELS.map(() => Math.round(4 * rng.next()) + 0.5);
    const sum = raw.reduce((total, each) => total + each, 0);
    return { gold: [label], predicted: LABELS[rng.below(3)]!, probabilities: raw.map((each) => each / sum) };
  };
  const pairs = gold.map((label) => [answer(label), answer(label)] as const);
  const recorded = (of: readonly MetricExample[]) => {
    const metrics = new RecordedMetrics(
      METRICS.map((name) => metricNamed(name, 'label')),
      { labels: LABELS },
    );
    for (const example of of) metrics.add(example);
    return metrics;
  };

  const groups = 7;
  const once = new Uint8Array(groups).fill(1);
  const unswapped = new Uint8Array(groups);

  it.each([
    { draw: 'resampled groups', times: Uint8Array.of(2, 0, 1, 3, 1, 1, 2), swapped: unswapped },
    { draw: 'swapped groups', times: once, swapped: Uint8Array.of(0, 1, 1, 0, 1, 0, 0) },
  ])('are those of the answers that each model has in the draw: $draw', ({ times, swapped }) => {
    const rows = everyRow(2 * pairs.length);
    const groupOf = rows.map((row) => ((row >> 1) % groups) + (row % 2) * groups);
    const joint = new RecordedPairs(
      METRICS.map((name) => metricNamed(name, 'label')),
      { labels: LABELS },
    );
    for (const example of pairs.flat()) joint.add(example);
    const options = { isSlice: false, hasProbabilities: true };
    const { names, statistic } = joint.pair(rows, groupOf, groups, options);
    const [a, b] = [new Float64Array(names.length), new Float64Array(names.length)];
    if (times === once) statistic.swapped(swapped, a, b);
    else statistic.resampled(times, a, b);

    expect(names.toSorted()).toEqual(METRICS.toSorted());
    for (const [side, values] of [a, b].entries()) {
      const drawn = pairs.flatMap((pair, index) => {
        const group = index % groups;
        return Array.from({ length: times[group]! }, () => pair[side ^ swapped[group]!]!);
      });
      for (const { metric, reader } of recorded(drawn).all.map((each) => ({
        metric: each.metric,
        reader: each.reader(),
      }))) {
        expect(values[names.indexOf(metric.name)]).toBeCloseTo(reader(everyRow(drawn.length)), 12);
      }
    }
  });
});
