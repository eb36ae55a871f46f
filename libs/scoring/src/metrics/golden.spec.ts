import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { metricExample, metricValue } from '../../../../test/factories/models/metric-value.js';
import type { OutputType } from '../metric.js';
import { metricNamed, METRICS } from './registry.js';
import { lengthOf, type Span } from './spans.js';

/** The golden cases of one metric, in a file of their own. */
interface Golden {
  readonly metric: string;
  readonly output: OutputType;
  /** The implementation that computed the values. */
  readonly source: string;
  readonly cases: readonly {
    readonly name: string;
    readonly labels?: readonly string[];
    /** The acceptable answers of each example, or its only one. */
    readonly gold: readonly (string | readonly string[])[];
    readonly predicted: readonly (string | null)[];
    readonly probabilities?: readonly (readonly number[] | null)[];
    /** The text that spans are a part of, where the correct ones start, and the given ones. */
    readonly text?: string;
    readonly starts?: readonly (readonly number[])[];
    readonly spans?: readonly (Span | null)[];
    /** Null where the metric is undefined. */
    readonly value: number | null;
  }[];
}

const spansOf = (gold: string | readonly string[], starts: readonly number[]): readonly Span[] =>
  starts.map((start, place) => [start, start + lengthOf(gold[place]!)]);

const folder = new URL('../../golden/', import.meta.url);
const read = (name: string): unknown => JSON.parse(readFileSync(new URL(name, folder), 'utf8'));
const goldens = readdirSync(new URL('metrics/', folder)).map((name) => read(`metrics/${name}`) as Golden);

/** The golden cases of several metrics together, by output. */
const SHARED: Readonly<Record<OutputType, readonly string[]>> = {
  label: ['labels.json', 'probabilities.json'],
  labels: ['label-lists.json'],
  span: ['spans.json'],
  text: ['texts.json'],
  number: ['numbers.json'],
};

describe.each(goldens)('$metric of a $output', ({ metric, output, cases }) => {
  it.each(cases)('$name', ({ labels = [], gold, predicted, probabilities, starts, spans, value }) => {
    const examples = gold.map((each, index) => ({
      ...metricExample(each, predicted[index]!, probabilities?.[index] ?? null),
      ...(starts && { spans: { gold: spansOf(each, starts[index]!), predicted: spans![index]! } }),
    }));
    const found = metricValue(metricNamed(metric, output), examples, { labels });

    if (value === null) expect(found).toBeNaN();
    else expect(found).toBeCloseTo(value, 12);
  });
});

it.each(METRICS.map(({ name, outputs }) => [name, outputs[0]!] as const))(
  'there is a golden case of %s of a %s',
  (name, output) => {
    const shared = SHARED[output].flatMap((file) => read(file) as readonly object[]);
    const own = goldens.filter(
      (golden) => golden.metric === name && golden.output === output && golden.cases.length > 0,
    );

    expect(shared.some((each) => name in each) || own.length > 0).toBe(true);
  },
);
