import type { LabelCounts } from './label-counts.js';

export type OutputType = 'label' | 'labels' | 'span' | 'text' | 'number';
export type Direction = 'higher' | 'lower';
export type Unit = 'ratio' | 'examples/s' | 'ms' | 'GiB';

interface MetricDeclaration {
  readonly name: string;
  /** Raised whenever the same predictions would get another value. */
  readonly version: number;
  /** Which way is better. */
  readonly direction: Direction;
  readonly range: readonly [low: number, high: number];
  readonly unit: Unit;
  readonly outputTypes: readonly OutputType[];
}

/** A metric that is the mean of a score per example. */
export interface ExampleMetric extends MetricDeclaration {
  readonly kind: 'mean';
  /** `binary`: every score is 0 or 1, the mean is a proportion. */
  readonly scores: 'binary' | 'graded';
  /** Score of one example. `gold`: every acceptable answer; `predicted` null: a tolerated bad answer, which is wrong. */
  perExample(gold: readonly string[], predicted: string | null): number;
  /** The same metric from counts per label, where it can be had from them; what reference rows are made of. */
  fromLabels?(counts: LabelCounts): number;
}

/** A metric of a whole set of labels. */
export interface LabelMetric extends MetricDeclaration {
  readonly kind: 'labels';
  fromLabels(counts: LabelCounts): number;
}

export type Metric = ExampleMetric | LabelMetric;
