import type { LabelCounts } from './label-counts.js';

export type OutputType = 'label' | 'labels' | 'span' | 'text' | 'number';
export type Direction = 'higher' | 'lower';
/** `nat` is a logarithmic loss, `value` is in the unit of the numbers that are predicted. */
export type Unit = 'ratio' | 'nat' | 'value' | 'examples/s' | 'ms' | 'GiB';

/** One example with its answer, as metrics see it. */
export interface MetricExample {
  /** Every acceptable answer: a label, words, a number as text; several labels are one JSON list, sorted. */
  readonly gold: readonly string[];
  /** The model's answer, alike; null is a tolerated bad one, which is wrong. */
  readonly predicted: string | null;
  /** One per label of `MetricContext.labels`, in its order; null where the model gave none. */
  readonly probabilities: ArrayLike<number> | null;
}

/** What a metric knows of the task. */
export interface MetricContext {
  /** The labels of the task in its order; empty where the output has none. */
  readonly labels: readonly string[];
}

interface MetricDeclaration {
  readonly name: string;
  /** Raised whenever the same predictions would get another value. */
  readonly version: number;
  /** Which way is better. */
  readonly direction: Direction;
  readonly range: readonly [low: number, high: number];
  readonly unit: Unit;
  readonly outputTypes: readonly OutputType[];
  /** `probabilities`: undefined (NaN) for a model that gives an answer without any; a tolerated bad answer needs none. Default: nothing. */
  readonly needs?: 'probabilities';
  /** The metric of a model that knows the labels' shares alone and always gives them as its probabilities; what reference rows are made of. */
  fromShares?(shares: Float64Array): number;
}

/** A metric that is the mean of a score per example. */
export interface ExampleMetric extends MetricDeclaration {
  readonly kind: 'mean';
  /** `binary`: every score is 0 or 1, the mean is a proportion. */
  readonly scores: 'binary' | 'graded';
  /** Score of one example. `gold`: every acceptable answer; `predicted` null: a tolerated bad answer, which is wrong. */
  perExample(
    gold: readonly string[],
    predicted: string | null,
    probabilities?: ArrayLike<number> | null,
    context?: MetricContext,
  ): number;
  /** The same metric from counts per label, where it can be had from them; what reference rows are made of. */
  fromLabels?(counts: LabelCounts): number;
}

/** A metric of a whole set of labels, from counts per label. */
export interface LabelMetric extends MetricDeclaration {
  readonly kind: 'labels';
  fromLabels(counts: LabelCounts): number;
}

/** A metric of a whole set that is a function of sums over its examples: BLEU, word error rate, root mean squared error. */
export interface SumsMetric extends MetricDeclaration {
  readonly kind: 'sums';
  /** Numbers that an example contributes. */
  width(context: MetricContext): number;
  /** Writes the example's contribution to `into[offset … offset + width)`, which holds zeros. */
  contribute(example: MetricExample, into: Float64Array, offset: number, context: MetricContext): void;
  /** The metric from the sums of the contributions; NaN where it is undefined. */
  fromSums(sums: Float64Array, context: MetricContext): number;
}

/** A metric of a whole set that needs every example beside the others: a rank correlation, the area under a curve. */
export interface ColumnsMetric extends MetricDeclaration {
  readonly kind: 'columns';
  /** Numbers that are kept of an example. */
  width(context: MetricContext): number;
  /** Writes them to `into[offset … offset + width)`, which holds zeros. */
  read(example: MetricExample, into: Float64Array, offset: number, context: MetricContext): void;
  /**
   * Prepares the metric of `n` examples (`columns` is n × width, row by row): given how often each example counts, it is the value, or NaN
   * where it is undefined. It is called once a resample, so what can be sorted is sorted here.
   */
  prepare(columns: Float64Array, n: number, context: MetricContext): (times: ArrayLike<number>) => number;
}

export type Metric = ExampleMetric | LabelMetric | SumsMetric | ColumnsMetric;
