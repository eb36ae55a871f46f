import { ClusterColumn } from '../cluster-numbers.js';
import type { Clusters } from '../estimate.js';
import { numbers, type GrowableColumn } from '../growable-column.js';
import type { RecordedMetric } from '../recorded/recorded-metric.js';
import { RecordedMetrics } from '../recorded/recorded-metrics.js';
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
import { Numbering } from '../numbering.js';
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
  /** With two models: the interleaved answers of both. */
  private readonly ofPair: RecordedMetrics | null;

  /** @throws DomainError `unknown_metric` */
  constructor({ models, output, metrics, slices = [], ...options }: JointAnswersOptions) {
    const known = metrics.map((name) => metricNamed(name, output));
    const context = contextOf(options);
    this.ofModels = Array.from({ length: models }, () => new ModelAnswers(known, context));
    this.ofPair = models === 2 ? new RecordedMetrics(known.filter(isOfSets), context) : null;
    this.fields = slices.map((field) => new SliceField({ field }));
  }

  get models(): number {
    return this.ofModels.length;
  }

  /** Number of examples added so far. */
  get count(): number {
    return this.clustered.length;
  }

  /** Number of units that resamples are drawn from: clusters, or independent examples. */
  get units(): number {
    return this.clustered.clusters?.count ?? this.count;
  }

  /**
   * Adds one example.
   *
   * @throws DomainError `too_many_slices` if a field has more than 10,000 values
   */
  add({ gold, answers, cluster, slices }: JointExample): void {
    for (const field of this.fields) field.add(this.count, slices[field.slicing.field] ?? [], null);
    this.clustered.add(cluster);
    for (const [index, model] of this.ofModels.entries()) {
      const example = { gold, ...answers[index]! };
      model.add(example);
      this.ofPair?.add(example);
    }
  }

  /** Returns the scores of the metrics that are means and that the model's answers define. */
  scoresOf(model: number): ReadonlyMap<string, ModelScores> {
    return this.ofModels[model]!.scores();
  }

  /** Returns the other metrics that the model's answers define. */
  statisticsOf(model: number): ReadonlyMap<string, RecordedMetric> {
    return named(this.ofModels[model]!.others);
  }

  /**
   * Returns the other metrics that both of two models define, over their interleaved answers: those
   * to example i are at 2i and 2i + 1. Null unless there are two models and such metrics.
   */
  pairStatistics(): RecordedMetrics | null {
    return this.ofPair && this.ofPair.all.length > 0 ? this.ofPair : null;
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
    if (!all || !rows) return all;

    const numbered = new Numbering<number>();
    const of = rows.map((row) => numbered.of(all.of[row]!));
    return { of, count: numbered.size };
  }
}

const isOfSets = (metric: Metric): boolean => metric.kind !== 'mean';

const named = (recorded: RecordedMetrics): ReadonlyMap<string, RecordedMetric> =>
  new Map(recorded.all.map((each) => [each.metric.name, each]));

/** The answers of one model, as scores or as input of set-level metrics. */
class ModelAnswers {
  readonly others: RecordedMetrics;
  private anyProbabilities = false;
  private means: readonly { readonly metric: ExampleMetric; readonly scores: GrowableColumn<Float64Array> }[];

  constructor(
    metrics: readonly Metric[],
    private readonly context: MetricContext,
  ) {
    this.means = metrics.filter((metric) => metric.kind === 'mean').map((metric) => ({ metric, scores: numbers() }));
    this.others = new RecordedMetrics(metrics.filter(isOfSets), context);
  }

  add(example: MetricExample): void {
    this.others.add(example);
    const { gold, predicted, probabilities, spans } = example;
    if (probabilities) this.anyProbabilities = true;
    // a metric that one example leaves undefined is undefined on all of them
    this.means = this.means.filter(({ metric, scores }) => {
      const score = metric.perExample(gold, predicted, probabilities, this.context, spans);
      scores.push(score);
      return !Number.isNaN(score);
    });
  }

  scores(): ReadonlyMap<string, ModelScores> {
    const defined = this.means.filter(({ metric }) => this.anyProbabilities || metric.needs !== 'probabilities');
    return new Map(defined.map(({ metric, scores }) => [metric.name, { metric, scores: scores.view() }]));
  }
}
