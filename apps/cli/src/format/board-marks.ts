import { isCostMetric, type Estimate } from '@assay/contracts';
import { costMarks, datasetMarks, FIGURE_MARKS, type FigureMark, markText } from '@assay/scoring';
import type { Schemas } from '../connection/api.js';

type Leaderboard = Schemas['Leaderboard'];
type Row = Leaderboard['rows'][number];

/** Models that a legend names of each group of datasets. */
const NAMED = 4;

const NOT_ABOVE_MAJORITY = '▿';
const FRONT = '◆';

/** The marks of a row, behind the name of its model; those of its figures that depend on the datasets among them. */
export function rowMarks(board: Leaderboard, row: Row): string {
  return [
    ...(row.front === true ? [FRONT] : []),
    ...(ownDatasets(row).length > 0 ? [FIGURE_MARKS.own.mark] : []),
    ...(exposedDatasets(board, row).length > 0 ? [FIGURE_MARKS.contaminated.mark] : []),
    ...(row.aboveMajority === false ? [NOT_ABOVE_MAJORITY] : []),
  ].join('');
}

/** The marks of a score on one dataset. */
export const cellMarks = (row: Row, dataset: string): string => markText(datasetMarks(row, dataset));

/** The marks of a figure over all datasets, besides those of its row. */
export const figureMarks = (metric: string, estimate: Estimate): string => markText(marksOf(metric, estimate));

function marksOf(metric: string, estimate: Estimate): FigureMark[] {
  if (isCostMetric(metric)) return costMarks(estimate);
  return estimate.estimated ? ['estimated'] : [];
}

/** The legend of the marks that a board has. @param metrics those that are shown */
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
  };
  return [
    ...(rows.some(({ front }) => front) ? [`${FRONT} no other model beats it in all of ${pareto.join(', ')}.`] : []),
    ...Object.entries(FIGURE_MARKS).flatMap(([key, { mark, name, sentence }]) => {
      const named = models[key as FigureMark];
      return named === undefined ? [] : [`${mark} ${name}${named && `, ${named}`}: ${sentence}`];
    }),
    ...(rows.some(({ aboveMajority }) => aboveMajority === false)
      ? [`${NOT_ABOVE_MAJORITY} not shown to be better than always giving the most frequent label.`]
      : []),
  ];
}

const ownDatasets = ({ own = [] }: Row): readonly string[] => own;

/** Of those that count on this board. */
const exposedDatasets = ({ datasets }: Leaderboard, { exposure = {} }: Row): readonly string[] =>
  datasets.filter(({ name, weight }) => weight > 0 && exposure[name] === 'exposed').map(({ name }) => name);

/** `albert, bert (anli-r1); bart (anli-r1, anli-r2)`: models with the same datasets are named together. Undefined without any. */
function grouped(rows: readonly Row[], datasetsOf: (row: Row) => readonly string[]): string | undefined {
  const groups = new Map<string, string[]>();
  for (const row of rows) {
    const datasets = datasetsOf(row).join(', ');
    if (datasets !== '') groups.set(datasets, [...(groups.get(datasets) ?? []), row.model.name]);
  }
  if (groups.size === 0) return undefined;
  return [...groups]
    .map(([datasets, models]) => {
      const more = models.length > NAMED ? ` and ${models.length - NAMED} more` : '';
      return `${models.slice(0, NAMED).join(', ')}${more} (${datasets})`;
    })
    .join('; ');
}
