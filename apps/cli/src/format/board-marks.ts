import type { Leaderboard } from '@assay/api-client/fetch';
import { isCostMetric, type Estimate } from '@assay/contracts/metrics';
import {
  costMarks,
  boardCellMarks,
  evaluatorNames,
  FIGURE_MARKS,
  type FigureMark,
  markText,
  OWN_EVALUATOR,
} from '@assay/scoring/marks';

type Row = Leaderboard['rows'][number];

/** The maximum number of models that a legend names for each group of datasets. */
const NAMED = 4;

const NOT_ABOVE_MAJORITY = '▿';
const FRONT = '◆';

/**
 * Returns the marks that follow the model's name in a row, including those for figures that depend
 * on the datasets (own rounds, contamination) and that for evaluators of users.
 */
export function rowMarks(board: Leaderboard, row: Row): string {
  return [
    ...(row.front === true ? [FRONT] : []),
    ...(ownDatasets(row).length > 0 ? [FIGURE_MARKS.own.mark] : []),
    ...(exposedDatasets(board, row).length > 0 ? [FIGURE_MARKS.contaminated.mark] : []),
    ...(row.evaluators ? [OWN_EVALUATOR.mark] : []),
    ...(row.aboveMajority === false ? [NOT_ABOVE_MAJORITY] : []),
  ].join('');
}

/** Returns the marks of a score on one dataset. */
export const cellMarks = (row: Row, dataset: string, estimate: Estimate): string =>
  markText(boardCellMarks(row, dataset, estimate));

/** Returns the marks of a figure over all datasets, without the marks of its row. */
export const figureMarks = (metric: string, estimate: Estimate): string => markText(marksOf(metric, estimate));

function marksOf(metric: string, estimate: Estimate): FigureMark[] {
  if (isCostMetric(metric)) return costMarks(estimate);
  return [...(estimate.estimated ? (['estimated'] as const) : []), ...(estimate.rounded ? (['rounded'] as const) : [])];
}

/**
 * Returns the legend of the marks that occur on a board.
 *
 * @param metrics the metrics that are shown
 */
export function marksLegend(board: Leaderboard, metrics: readonly string[]): string[] {
  const { rows, pareto = [] } = board;
  const figures = new Set(
    rows.flatMap((row) => metrics.flatMap((name) => (row.metrics[name] ? marksOf(name, row.metrics[name]) : []))),
  );
  const models: Readonly<Record<FigureMark, string | undefined>> = {
    own: grouped(rows, ownDatasets),
    estimated: figures.has('estimated') ? '' : undefined,
    contaminated: grouped(rows, (row) => exposedDatasets(board, row)),
    contended: figures.has('contended') ? '' : undefined,
    short: figures.has('short') ? '' : undefined,
    rounded: figures.has('rounded') ? '' : undefined,
  };
  return [
    ...(rows.some(({ front }) => front) ? [`${FRONT} no other model beats it in all of ${pareto.join(', ')}.`] : []),
    ...Object.entries(FIGURE_MARKS).flatMap(([key, { mark, name, sentence }]) => {
      const named = models[key as FigureMark];
      return named === undefined ? [] : [`${mark} ${name}${named && `, ${named}`}: ${sentence}`];
    }),
    ...evaluatorLegend(rows),
    ...(rows.some(({ aboveMajority }) => aboveMajority === false)
      ? [`${NOT_ABOVE_MAJORITY} not shown to be better than always giving the most frequent label.`]
      : []),
  ];
}

function evaluatorLegend(rows: readonly Row[]): string[] {
  const groups = groupedNames(rows, ({ evaluators = [] }) => evaluatorNames(evaluators));
  const { mark, name, sentence } = OWN_EVALUATOR;
  const models = groups.map(([evaluators, names]) => `${names} on ${evaluators}`).join('; ');
  return models === '' ? [] : [`${mark} ${name}, ${models}: ${sentence}`];
}

const ownDatasets = ({ own = [] }: Row): readonly string[] => own;

/** Returns the contaminated datasets of a row that have a weight on this board. */
const exposedDatasets = ({ datasets }: Leaderboard, { exposure = {} }: Row): readonly string[] =>
  datasets.filter(({ name, weight }) => weight > 0 && exposure[name] === 'exposed').map(({ name }) => name);

/**
 * Groups models by the same datasets: `albert, bert (anli-r1); bart (anli-r1, anli-r2)`. Undefined
 * if no model has such datasets.
 */
function grouped(rows: readonly Row[], datasetsOf: (row: Row) => readonly string[]): string | undefined {
  const groups = groupedNames(rows, (row) => datasetsOf(row).join(', '));
  if (groups.length === 0) return undefined;
  return groups.map(([datasets, models]) => `${models} (${datasets})`).join('; ');
}

/** Groups the names of models by the same text. Rows with an empty text are omitted. */
function groupedNames(rows: readonly Row[], textOf: (row: Row) => string): [text: string, models: string][] {
  const groups = new Map<string, string[]>();
  for (const row of rows) {
    const text = textOf(row);
    if (text !== '') groups.set(text, [...(groups.get(text) ?? []), row.model.name]);
  }
  return [...groups].map(([text, models]) => {
    const more = models.length > NAMED ? ` and ${models.length - NAMED} more` : '';
    return [text, `${models.slice(0, NAMED).join(', ')}${more}`];
  });
}
