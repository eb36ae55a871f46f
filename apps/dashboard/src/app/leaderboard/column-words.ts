import { metricName, unitName } from '../ui/terms.js';
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

const NEEDS_PROBABILITIES: ReadonlySet<string> = new Set(['auroc', 'brier', 'log_loss', 'ece']);

/** How a model came to be on the board. */
export const kindName = (kind: string): string => KIND_NAMES[kind as ModelKind] ?? kind;

/** What a column is called in its header and in the list of columns. */
export function columnName(column: Column): string {
  if (column.type === 'fact') return FACT_NAMES[column.id];
  return metricName(column.metric.name);
}

/** `%`, `ms`, …; empty where a column has no unit. */
export const columnUnit = (column: Column): string => {
  if (column.type === 'fact') return column.id === 'first' ? $localize`% of draws` : '';
  return unitName(column.metric.unit);
};

/** The name with its unit, as an axis has it. */
export function columnTitle(column: Column): string {
  const unit = columnUnit(column);
  return unit ? `${columnName(column)}, ${unit}` : columnName(column);
}

/** Why a ranked model has no figure there. */
export function whyMissing({ metric }: FigureColumn, kind: string): string {
  if (!metric.isScore) return kind === 'predictions' ? $localize`not run here` : $localize`too few requests`;
  if (NEEDS_PROBABILITIES.has(metric.name)) return $localize`no probabilities`;
  if (/^(worst|gap):/.test(metric.name)) return $localize`slices too small`;
  if (/^(robustness|fairness)/.test(metric.name)) return $localize`no perturbed set`;
  return $localize`not measured`;
}

/** Why scored models have no rank: the weighed metrics that they lack. */
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

/** The button that takes all other weights away. */
export const rankAloneLabel = (performance: string): string =>
  $localize`Rank them by ${metricName(performance)}:metric: alone`;

/** Why the score follows the performance metric alone, by the code of the API. */
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

/** What the brackets at the left mean, for the first of them; empty where nothing is said. `size` models share it, of `of` in all. */
export function tieSentence(size: number, of: number): string {
  if (size === 0 || of < 2) return '';
  if (size === 1) return $localize`The first is significantly ahead of all others.`;
  if (size === of) return of === 2 ? $localize`The two are tied.` : $localize`All of them are tied with the first.`;
  return $localize`The first ${COUNTS[size - 2] ?? String(size)}:count: are tied.`;
}
