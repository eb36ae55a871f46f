import { PROBABILITY_METRICS } from '../../ui/metrics/metric-readings.gen.js';
import { metricName, unitName } from '../../ui/terms/terms.js';
import type { Column, Fact, FigureColumn } from './board-columns.js';
import type { ModelKind } from './board-query.js';

const FACT_NAMES: Readonly<Record<Fact, string>> = {
  loop: $localize`target model`,
  first: $localize`is first`,
  kind: $localize`kind`,
  size: $localize`size`,
  accepted: $localize`submitted`,
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
  if (column.type === 'fact') return column.id === 'first' ? $localize`% of draws` : '';
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
 * Describes the tie group of the first model for the brackets in the table. Empty if there is
 * nothing to say.
 * @param size the number of models in the group
 * @param of the number of ranked models
 */
export function tieSentence(size: number, of: number): string {
  if (size === 0 || of < 2) return '';
  if (size === 1) return $localize`The first is significantly ahead of all others.`;
  if (size === of) return of === 2 ? $localize`The two are tied.` : $localize`All of them are tied with the first.`;
  return $localize`The first ${COUNTS[size - 2] ?? String(size)}:count: are tied.`;
}
