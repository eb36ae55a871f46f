import { PROBABILITY_METRICS } from '../../ui/metrics/metric-readings.gen.js';
import { metricName, unitName } from '../../ui/terms/terms.js';
import type { Column, Fact, FigureColumn } from './board-columns.js';
import type { ModelKind } from './board-query.js';

const FACT_NAMES: Readonly<Record<Fact, string>> = {
  loop: $localize`target model`,
  kind: $localize`kind`,
  size: $localize`size`,
  accepted: $localize`submitted`,
  against: $localize`difference`,
};

const KIND_NAMES: Readonly<Record<ModelKind, string>> = {
  container: $localize`container`,
  onnx: $localize`ONNX file`,
  predictions: $localize`predictions`,
};

/** The name of a kind of submission. */
export const kindName = (kind: string): string => KIND_NAMES[kind as ModelKind] ?? kind;

/** The name of a column, in its header and in the list of columns. */
export function columnName(column: Column): string {
  if (column.type === 'fact') return FACT_NAMES[column.id];
  return metricName(column.metric.name);
}

/** The unit of a column, such as `%` or `ms`. Empty if it has none. */
export const columnUnit = (column: Column): string => {
  if (column.type === 'fact') return '';
  return unitName(column.metric.unit);
};

/** The name of a column with its unit, for the axis of a chart. */
export function columnTitle(column: Column): string {
  const unit = columnUnit(column);
  return unit ? `${columnName(column)}, ${unit}` : columnName(column);
}

/** Explains why a model has no figure in a column. */
export function whyMissing({ metric }: FigureColumn, kind: string): string {
  if (!metric.isScore) return kind === 'predictions' ? $localize`not run here` : $localize`too few requests`;
  if (PROBABILITY_METRICS.has(metric.name)) return $localize`no probabilities`;
  if (/^(worst|gap):/.test(metric.name)) return $localize`slices too small`;
  if (/^(robustness|fairness)/.test(metric.name)) return $localize`no perturbed set`;
  return $localize`not measured`;
}

/** Explains why complete models have no rank. */
export const belowSentence = (count: number): string =>
  count === 1
    ? $localize`1 model is not ranked: it is not better than the baseline (the majority label, random labels, or the model that the owner named).`
    : $localize`${count}:count: models are not ranked: they are not better than the baseline (the majority label, random labels, or the model that the owner named).`;

/** Explains why scored models have no rank: they lack metrics that have a weight. */
export function unrankedSentence(
  count: number,
  lacking: readonly { readonly name: string; readonly isScore: boolean }[],
): string {
  const what = lacking.every(({ isScore }) => !isScore)
    ? $localize`costs`
    : lacking.map(({ name }) => metricName(name)).join(', ');
  return count === 1
    ? $localize`1 model is scored but has no ${what}:what:, which this board weighs.`
    : $localize`${count}:count: models are scored but have no ${what}:what:, which this board weighs.`;
}

/** The label of the button that ranks by the performance metric alone. */
export const rankAloneLabel = (performance: string): string =>
  $localize`Rank them by ${metricName(performance)}:metric: alone`;

/** Why the score is the performance metric alone, by the code of the API. */
const DEGENERATE: Readonly<Record<string, string>> = {
  no_models: $localize`No ranked models yet.`,
  one_model: $localize`With one ranked model there is nothing to compare costs with: its score is the performance metric.`,
  equal_performance: $localize`All ranked models perform equally, so no exchange rate can be computed: the score is the performance metric.`,
  no_information: $localize`The weighed metrics do not differ between the models: the score is the performance metric.`,
};
export const degenerateSentence = (code: string): string => DEGENERATE[code] ?? '';

const COUNTS: readonly string[] = [
  $localize`two`,
  $localize`three`,
  $localize`four`,
  $localize`five`,
  $localize`six`,
  $localize`seven`,
  $localize`eight`,
  $localize`nine`,
  $localize`ten`,
];

/**
 * Says how many models could be first. Empty if there is nothing to say.
 * @param count the number of models that could be first
 * @param of the number of ranked models
 */
export function candidatesSentence(count: number, of: number): string {
  if (count === 0 || of < 2) return '';
  if (count === 1) return $localize`The first is significantly ahead of all others.`;
  return $localize`Could be first: ${COUNTS[count - 2] ?? String(count)}:count: models.`;
}

/** Describes the comparison of the rows, below the board. */
export function againstSentence(
  metric: string,
  rows: number,
  other: { readonly model?: string; readonly version?: number },
): string {
  const name = metricName(metric);
  const what =
    other.model === undefined
      ? $localize`that of the same model on benchmark version ${other.version}:version:`
      : $localize`that of ${other.model}:model:`;
  return $localize`Difference: ${name}:metric: minus ${what}:other:. ≈ marks no significant difference, corrected for the ${rows}:count: rows.`;
}

interface ShownDifference {
  readonly verdict: 'better' | 'worse' | 'none';
  /** The corrected p-value; null without a test. */
  readonly p: number | null;
  /** The number of compared datasets, of those that rank. */
  readonly comparable: number;
  readonly of: number;
}

/** Describes the difference of a row, for a tooltip. */
export function differenceTitle({ verdict, p, comparable, of }: ShownDifference): string {
  const words = {
    better: $localize`significantly better`,
    worse: $localize`significantly worse`,
    none: $localize`no significant difference`,
  }[verdict];
  const datasets = $localize`${comparable}:k: of ${of}:m: datasets`;
  return [
    words,
    ...(p === null ? [] : [$localize`corrected p ${p < 0.001 ? '< 0.001' : p.toFixed(3)}:p:`]),
    datasets,
  ].join(', ');
}
