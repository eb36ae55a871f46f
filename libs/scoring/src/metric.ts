import type { Band } from './estimate.js';
import type { LabelCounts } from './label-counts.js';
import type { TextRules } from './language/text-rules.js';
import type { Spans } from './metrics/spans.js';
import type { Contributions, PreparedPair } from './resampling/statistic.js';

export const OUTPUT_TYPES = ['label', 'labels', 'span', 'text', 'number'] as const;
export type OutputType = (typeof OUTPUT_TYPES)[number];

export const DIRECTIONS = ['higher', 'lower'] as const;
export type Direction = (typeof DIRECTIONS)[number];

/**
 * The unit of a metric. `ratio`: mostly a number in [0, 1], or [-1, 1] for correlations, shown in
 * percent. `nat`: a logarithmic loss. `value`: in the unit of the predicted numbers. `s/example`
 * (CPU seconds per example, shown in milliseconds), `examples/s`, `ms` and `GiB`: costs.
 */
export type Unit = 'ratio' | 'nat' | 'value' | 's/example' | 'examples/s' | 'ms' | 'GiB';

/** One example with the model's answer, as metrics read it. */
export interface MetricExample {
  /**
   * All acceptable answers. Each is a label, words, or a number as text; several labels are one
   * sorted JSON list.
   */
  readonly gold: readonly string[];
  /**
   * The model's answer, in the same form; null for a tolerated bad answer, which counts as wrong.
   */
  readonly predicted: string | null;
  /**
   * One probability per label of `MetricContext.labels`, in that order; null if the model gave
   * none.
   */
  readonly probabilities: ArrayLike<number> | null;
  /** For outputs of type span, where the answers stand in the text. Absent if it is not known. */
  readonly spans?: Spans | undefined;
}

/** The facts about the task that a metric may use. */
export interface MetricContext extends TextRules {
  /** The labels of the task, in its order; empty if the output has no labels. */
  readonly labels: readonly string[];
}

/** Returns the context from options that may leave out its parts. */
export const contextOf = ({
  labels = [],
  language,
  normalise,
}: TextRules & { readonly labels?: readonly string[] }): MetricContext => ({
  labels,
  language,
  normalise,
});

/**
 * The name and properties of a metric, declared once. Contracts, board directions, tooltips, help,
 * exports and reference docs derive from it. Metrics of one name (for different outputs) agree in
 * label, description, unit, direction and range; `formula`, `notes`, `source` and `hub` are those of
 * the first one.
 */
interface MetricDeclaration<Name extends string> {
  /** The name in the API, in snake case. */
  readonly name: Name;
  /** Raised whenever the same predictions would get another value. */
  readonly version: number;
  /** The name for people, as within a sentence. */
  readonly label: string;
  /** The meaning, in a sentence or two for newcomers. */
  readonly description: string;
  readonly unit: Unit;
  /** The direction in which values are better. */
  readonly direction: Direction;
  readonly range: readonly [low: number, high: number];
  readonly outputs: readonly OutputType[];
  /**
   * Requirements beyond the answer; none by default. `probabilities`: the metric is undefined (NaN)
   * for a model that gives an answer without probabilities. A tolerated bad answer needs none.
   * `positions`: it is undefined without the positions of spans, and is no performance metric.
   */
  readonly needs?: 'probabilities' | 'positions';
  /**
   * True for an unweighted mean over labels, whose precision rare labels limit. A columns metric holds
   * the number of the gold label in its first column.
   */
  readonly perLabel?: true;
  /** True where the wider of two intervals is too wide, see `bootstrapEstimate`. */
  readonly narrowed?: true;
  /** The formula, one line per element. */
  readonly formula?: readonly string[];
  /** Further facts for readers of the help, one paragraph per element. */
  readonly notes?: readonly string[];
  /** The publication that defines it, or the program that computes the same. */
  readonly source?: string;
  /**
   * Returns how texts are compared, in sacreBLEU's notation (`key:value|…`). `signatureOf` adds the
   * normalisation and the version.
   */
  signature?(rules: TextRules): string;
  /** The metric's name and arguments on the Hugging Face Hub, if it has another name there. */
  readonly hub?: { readonly type: string; readonly args?: Readonly<Record<string, string>> };
  /**
   * Returns the value for a model that knows only the label shares and always gives them as its
   * probabilities. Used for reference rows.
   */
  fromShares?(shares: Float64Array): number;
}

/** A metric that is the mean of a score per example. */
export interface ExampleMetric<Name extends string = string> extends MetricDeclaration<Name> {
  readonly kind: 'mean';
  /** `binary`: every score is 0 or 1, so the mean is a proportion. */
  readonly scores: 'binary' | 'graded';
  /**
   * Returns the score of one example.
   *
   * @param gold all acceptable answers
   * @param predicted the answer; null is a tolerated bad answer, which counts as wrong
   */
  perExample(
    gold: readonly string[],
    predicted: string | null,
    probabilities?: ArrayLike<number> | null,
    context?: MetricContext,
    spans?: Spans,
  ): number;
  /**
   * Returns the same metric from counts per label, if it can be computed from them. Used for
   * reference rows.
   */
  fromLabels?(counts: LabelCounts): number;
}

/** A metric of the whole set of examples that is computed from counts per label. */
export interface LabelMetric<Name extends string = string> extends MetricDeclaration<Name> {
  readonly kind: 'labels';
  /** `accuracy`: equal to accuracy if every example is answered, and then has its interval. */
  readonly interval?: 'accuracy';
  fromLabels(counts: LabelCounts): number;
  /**
   * The labels that count on a slice. `gold`: only those that are the gold of one of its examples,
   * so that `fromLabels` gets the counts of these labels alone and any other answer counts as no
   * answer. With only one such label, the metric is undefined (NaN) on the slice. Default: the
   * labels that occur in gold or answers, as on a whole dataset.
   */
  readonly onSlices?: 'gold';
}

/**
 * A metric of the whole set that is a function of sums over its examples: BLEU, word error rate,
 * root mean squared error.
 */
export interface SumsMetric<Name extends string = string> extends MetricDeclaration<Name> {
  readonly kind: 'sums';
  /** Returns how many numbers each example contributes. */
  width(context: MetricContext): number;
  /** Writes the example's contribution to `into[offset … offset + width)`, which holds zeros. */
  contribute(example: MetricExample, into: Float64Array, offset: number, context: MetricContext): void;
  /** Returns the metric from the sums of the contributions; NaN if it is undefined. */
  fromSums(sums: Float64Array, context: MetricContext): number;
  /**
   * Returns the 95% band of the values that a perfectly calibrated model would have on these
   * examples. A metric with a band has no interval.
   */
  band?(contributions: Contributions, seed: string): Band;
}

/**
 * A metric of the whole set that needs every example: a rank correlation, the area under a curve.
 */
export interface ColumnsMetric<Name extends string = string> extends MetricDeclaration<Name> {
  readonly kind: 'columns';
  /** Returns how many numbers are stored for each example. */
  width(context: MetricContext): number;
  /** Writes the numbers of an example to `into[offset … offset + width)`, which holds zeros. */
  read(example: MetricExample, into: Float64Array, offset: number, context: MetricContext): void;
  /**
   * Prepares the metric of `n` examples. The returned function takes how often each example counts
   * and returns the value, or NaN if it is undefined. It is called once per resample, so sorting
   * belongs in the preparation.
   *
   * @param columns n × width numbers, row by row
   */
  prepare(columns: Float64Array, n: number, context: MetricContext): (times: ArrayLike<number>) => number;
  /** Prepares the metric of two models, if that is faster than one model after the other. */
  preparePair?(columns: Float64Array, n: number, context: MetricContext): PreparedPair;
}

export type Metric<Name extends string = string> =
  ExampleMetric<Name> | LabelMetric<Name> | SumsMetric<Name> | ColumnsMetric<Name>;

/**
 * Declares a metric. Its literal name stays in the type. `npm run generate` adds the file to the
 * registry if it exports the declaration by `export const … = defineMetric(`.
 */
export function defineMetric<Name extends string>(metric: ExampleMetric<Name>): ExampleMetric<Name>;
export function defineMetric<Name extends string>(metric: LabelMetric<Name>): LabelMetric<Name>;
export function defineMetric<Name extends string>(metric: SumsMetric<Name>): SumsMetric<Name>;
export function defineMetric<Name extends string>(metric: ColumnsMetric<Name>): ColumnsMetric<Name>;
export function defineMetric(metric: Metric): Metric {
  return metric;
}
