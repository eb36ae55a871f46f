import { ClusterColumn } from '../cluster-numbers.js';
import { clustersAmong } from '../crossed-clusters.js';
import type { Clusters } from '../estimate.js';
import { numbers, type GrowableColumn } from '../growable-column.js';
import { type PairMetrics, RecordedPairs } from '../recorded/recorded-pairs.js';
import type { TextRules } from '../language/text-rules.js';
import {
  contextOf,
  type ExampleMetric,
  type Metric,
  type MetricContext,
  type MetricExample,
  type OutputType,
} from '../metric.js';
import { metricNamed } from '../metrics/registry.js';
import { SliceField } from '../slices/slice-field.js';

export interface JointAnswersOptions extends TextRules {
  /** Number of models. */
  readonly models: number;
  /** Selects among metrics of the same name. */
  readonly output: OutputType;
  /** The labels of the task, in its order. Default: none. */
  readonly labels?: readonly string[];
  /** Metric names from the registry. */
  readonly metrics: readonly string[];
  /** Fields whose values are slices. Default: none. */
  readonly slices?: readonly string[];
}

/** One example with the answers of all models. */
export interface JointExample {
  readonly gold: readonly string[];
  /** Answers by model. */
  readonly answers: readonly Pick<MetricExample, 'predicted' | 'probabilities' | 'spans'>[];
  /** Examples with the same value are not independent. Null or empty: independent of all others. */
  readonly cluster: string | null;
  /** The cluster in a second way, which crosses the first. */
  readonly secondCluster?: string | null;
  /** Values per field. */
  readonly slices: Readonly<Record<string, readonly string[]>>;
}

/** All examples, or those of one slice. */
export interface Part {
  /** The slice; null for all examples. */
  readonly slice: { readonly field: string; readonly value: string } | null;
  /** Numbers of the examples, ascending; null for all examples. */
  readonly rows: Int32Array | null;
}

/** The scores of a model per example, for a metric that is their mean. */
export interface ModelScores {
  readonly metric: ExampleMetric;
  readonly scores: Float64Array;
}

/**
 * Accumulates examples with the answers of several models, so that the models can be compared
 * example by example. Stores numbers, no text.
 */
export class JointAnswers {
  private readonly clustered = new ClusterColumn();
  private readonly fields: readonly SliceField[];
  private readonly ofModels: readonly ModelAnswers[];
  private readonly setMetrics: readonly Metric[];
  /** The interleaved answers of all models: that of model m to example i is at i · models + m. */
  private readonly sets: RecordedPairs;

  /** @throws DomainError `unknown_metric` */
  constructor({ models, output, metrics, slices = [], ...options }: JointAnswersOptions) {
    const known = metrics.map((name) => metricNamed(name, output));
    const context = contextOf(options);
    this.ofModels = Array.from({ length: models }, () => new ModelAnswers(known, context));
    this.setMetrics = known.filter(({ kind }) => kind !== 'mean');
    this.sets = new RecordedPairs(this.setMetrics, context);
    this.fields = slices.map((field) => new SliceField({ field }));
  }

  get models(): number {
    return this.ofModels.length;
  }

  /** Number of examples added so far. */
  get count(): number {
    return this.clustered.length;
  }

  /**
   * Adds one example.
   *
   * @throws DomainError `too_many_slices` if a field has more than 10,000 values
   */
  add({ gold, answers, cluster, secondCluster, slices }: JointExample): void {
    for (const field of this.fields) field.add(this.count, slices[field.slicing.field] ?? [], null);
    this.clustered.add(cluster, secondCluster);
    for (const [index, model] of this.ofModels.entries()) {
      const example = { gold, ...answers[index]! };
      model.add(example);
      this.sets.add(example);
    }
  }

  /** Returns the scores of the metrics that are means and that the model's answers define. */
  scoresOf(model: number): ReadonlyMap<string, ModelScores> {
    return this.ofModels[model]!.scores();
  }

  /**
   * Returns the set-level metrics that both models define, for draws of groups of examples.
   *
   * @param groupOf the group of each of the examples in `rows`, in [0, groups)
   */
  setsOf(
    [a, b]: readonly [number, number],
    { rows, slice }: Part,
    groupOf: Int32Array,
    groups: number,
  ): PairMetrics | null {
    const hasProbabilities = this.ofModels[a]!.hasProbabilities && this.ofModels[b]!.hasProbabilities;
    if (!this.setMetrics.some(({ needs }) => hasProbabilities || needs !== 'probabilities')) return null;

    const both = new Int32Array(2 * groupOf.length);
    const groupOfBoth = new Int32Array(2 * groupOf.length);
    for (const [index, group] of groupOf.entries()) {
      const first = (rows ? rows[index]! : index) * this.models;
      both.set([first + a, first + b], 2 * index);
      groupOfBoth.set([group, groups + group], 2 * index);
    }
    return this.sets.pair(both, groupOfBoth, groups, { isSlice: slice !== null, hasProbabilities });
  }

  /** Returns the slices with at least `minimum` examples. */
  slices(minimum: number): Part[] {
    return this.fields.flatMap(({ slicing, slices }) =>
      Array.from(slices)
        .filter(([, members]) => members.length >= minimum)
        .map(([value, members]): Part => ({ slice: { field: slicing.field, value }, rows: members.view() })),
    );
  }

  /** Returns the clusters of some examples, numbered densely; null if examples are independent. */
  clusters(rows: Int32Array | null): Clusters | null {
    const all = this.clustered.clusters;
    return all && rows ? clustersAmong(all, rows) : all;
  }
}

/** The scores of one model. */
class ModelAnswers {
  private anyProbabilities = false;
  private lacksProbabilities = false;
  private means: readonly { readonly metric: ExampleMetric; readonly scores: GrowableColumn<Float64Array> }[];

  constructor(
    metrics: readonly Metric[],
    private readonly context: MetricContext,
  ) {
    this.means = metrics.filter((metric) => metric.kind === 'mean').map((metric) => ({ metric, scores: numbers() }));
  }

  add(example: MetricExample): void {
    const { gold, predicted, probabilities, spans } = example;
    if (probabilities) this.anyProbabilities = true;
    // a tolerated bad answer needs none
    else if (predicted !== null) this.lacksProbabilities = true;
    // a metric that one example leaves undefined is undefined on all of them
    this.means = this.means.filter(({ metric, scores }) => {
      const score = metric.perExample(gold, predicted, probabilities, this.context, spans);
      scores.push(score);
      return !Number.isNaN(score);
    });
  }

  get hasProbabilities(): boolean {
    return this.anyProbabilities && !this.lacksProbabilities;
  }

  scores(): ReadonlyMap<string, ModelScores> {
    const defined = this.means.filter(({ metric }) => this.anyProbabilities || metric.needs !== 'probabilities');
    return new Map(defined.map(({ metric, scores }) => [metric.name, { metric, scores: scores.view() }]));
  }
}
