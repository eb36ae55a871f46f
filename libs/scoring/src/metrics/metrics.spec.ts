import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { MetricAccumulator } from '../metric-accumulator.js';
import { score } from '../score.js';
import { findMetric, metricNamed, METRICS, metricsFor } from './registry.js';

const golden = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../golden/${name}.json`, import.meta.url), 'utf8'));

type LabelCase = { name: string; gold: string[]; predicted: (string | null)[] } & Record<string, number>;
interface SliceCase extends Record<
  'macro_f1' | 'weighted_f1' | 'balanced_accuracy' | 'mcc' | 'micro_f1',
  number | null
> {
  gold: string[];
  predicted: string[];
}
interface SpanCase {
  gold: string[];
  predicted: string | null;
  exact_match: number;
  squad_f1: number;
}

describe('label metrics equal scikit-learn', () => {
  const metrics = ['accuracy', 'macro_f1', 'micro_f1', 'weighted_f1', 'balanced_accuracy', 'mcc'];

  it.each(golden('labels') as LabelCase[])('$name', (example) => {
    const gold = example.gold.map((label) => [label]);
    const scores = score({ gold, predicted: example.predicted }, { metrics, seed: 'golden' });

    for (const metric of metrics) expect(scores.metrics[metric]!.value).toBeCloseTo(example[metric]!, 12);
  });

  const onSlice = ['macro_f1', 'weighted_f1', 'balanced_accuracy', 'mcc', 'micro_f1'] as const;

  it.each(golden('label-slices') as SliceCase[])('on a slice: $name', ({ gold, predicted, ...expected }) => {
    const accumulator = new MetricAccumulator({
      output: 'label',
      metrics: onSlice,
      seed: '',
      slices: [{ field: 'of' }],
    });
    for (const [index, label] of gold.entries()) {
      accumulator.add({ gold: [label], predicted: predicted[index]!, slices: { of: ['slice'] } });
    }
    // labels of the rest of the dataset do not count on the slice
    for (const label of ['a', 'b', 'c', 'x']) accumulator.add({ gold: [label], predicted: label, slices: {} });
    const { metrics } = accumulator.result().slices['of']!['slice']!;

    for (const name of onSlice) {
      if (expected[name] === null) expect(metrics[name]).toBeUndefined();
      else expect(metrics[name]!.value).toBeCloseTo(expected[name], 12);
    }
  });

  it('takes any of several gold labels', () => {
    const scored = { gold: [['a', 'b'], ['a', 'b'], ['c']], predicted: ['b', 'c', 'c'] };

    expect(score(scored, { metrics: ['accuracy'], seed: '' }).metrics['accuracy']!.value).toBeCloseTo(2 / 3, 15);
  });
});

describe('span metrics equal the SQuAD script', () => {
  it.each(golden('spans') as SpanCase[])('$predicted for $gold', ({ gold, predicted, exact_match, squad_f1 }) => {
    const metrics = ['exact_match', 'squad_f1'];
    const scores = score({ gold: [gold], predicted: [predicted] }, { metrics, seed: 'golden' });

    expect(scores.metrics['exact_match']!.value).toBe(exact_match);
    expect(scores.metrics['squad_f1']!.value).toBe(squad_f1);
  });
});

describe('the registry', () => {
  it('has each name once for an output type, in the form that the API uses', () => {
    const names = METRICS.flatMap((metric) => metric.outputs.map((output) => `${metric.name} ${output}`));

    expect(new Set(names).size).toBe(names.length);
    for (const { name } of METRICS) expect(name).toMatch(/^[a-z][a-z0-9_]*$/);
  });

  it.each(METRICS)('has metrics of the name $name that are read alike', ({ name, ...declared }) => {
    const { label, description, unit, direction, range } = declared;

    expect(metricNamed(name)).toMatchObject({ label, description, unit, direction, range });
  });

  it('knows which metric a name stands for, given the output type', () => {
    expect(metricNamed('accuracy', 'label')).toBe(metricNamed('accuracy'));
    expect(metricNamed('accuracy', 'labels')).not.toBe(metricNamed('accuracy', 'label'));
    expect(findMetric('accuracy', 'number')).toBeUndefined();
    expect(() => metricNamed('accuracy', 'number')).toThrow(
      'Unknown metric "accuracy" for an output of type number. Known metrics: mae, pearson, rmse, spearman.',
    );
  });

  it('names the metrics there are when asked for one that is not', () => {
    expect(findMetric('acuracy')).toBeUndefined();
    expect(() => metricNamed('acuracy')).toThrow(/Unknown metric "acuracy".*accuracy, auroc/);
  });

  it('tells which metrics an output type has', () => {
    expect(metricsFor('span').map((metric) => metric.name)).toEqual(['exact_match', 'span_f1', 'squad_f1', 'token_f1']);
    expect(metricsFor('label').map((metric) => metric.name)).toContain('macro_f1');
  });
});
