import type { Schemas } from '../connection/api.js';

type Leaderboard = Schemas['Leaderboard'];
type Row = Leaderboard['rows'][number];

/** Models that a legend names of each group of datasets. */
const NAMED = 4;

export const ESTIMATED = '*';
const OWN = '†';
const EXPOSED = '°';
const NOT_ABOVE_MAJORITY = '▿';
const FRONT = '◆';

/** What stands behind the name of a model, one character for each thing to know of its row. */
export function rowMarks(board: Leaderboard, row: Row): string {
  return [
    ...(row.front === true ? [FRONT] : []),
    ...(ownDatasets(row).length > 0 ? [OWN] : []),
    ...(exposedDatasets(board, row).length > 0 ? [EXPOSED] : []),
    ...(row.aboveMajority === false ? [NOT_ABOVE_MAJORITY] : []),
  ].join('');
}

/** The same for a cell of one dataset. */
export const cellMarks = (row: Row, dataset: string): string =>
  `${ownDatasets(row).includes(dataset) ? OWN : ''}${row.exposure?.[dataset] === 'exposed' ? EXPOSED : ''}`;

/** What the marks of a board mean, of those that it has. */
export function marksLegend(board: Leaderboard): string[] {
  const { rows, pareto = [] } = board;
  const isEstimated = rows.some(({ metrics }) => Object.values(metrics).some(({ estimated }) => estimated === true));
  const own = grouped(rows, ownDatasets);
  const exposed = grouped(rows, (row) => exposedDatasets(board, row));
  return [
    ...(rows.some(({ front }) => front) ? [`${FRONT} no other model beats it in all of ${pareto.join(', ')}.`] : []),
    ...(isEstimated
      ? [`${ESTIMATED} estimated: collected against this model, and fitted from its figures on the other datasets.`]
      : []),
    ...(own === '' ? [] : [`${OWN} collected against this model: ${own}.`]),
    ...(exposed === '' ? [] : [`${EXPOSED} submitted after some of the data was public: ${exposed}.`]),
    ...(rows.some(({ aboveMajority }) => aboveMajority === false)
      ? [`${NOT_ABOVE_MAJORITY} not shown to be better than always giving the most frequent label.`]
      : []),
  ];
}

const ownDatasets = ({ own = [] }: Row): readonly string[] => own;

/** Of those that count on this board. */
const exposedDatasets = ({ datasets }: Leaderboard, { exposure = {} }: Row): readonly string[] =>
  datasets.filter(({ name, weight }) => weight > 0 && exposure[name] === 'exposed').map(({ name }) => name);

/** `albert, bert (anli-r1); bart (anli-r1, anli-r2)`: models with the same datasets are named together. */
function grouped(rows: readonly Row[], datasetsOf: (row: Row) => readonly string[]): string {
  const groups = new Map<string, string[]>();
  for (const row of rows) {
    const datasets = datasetsOf(row).join(', ');
    if (datasets !== '') groups.set(datasets, [...(groups.get(datasets) ?? []), row.model.name]);
  }
  return [...groups]
    .map(([datasets, models]) => {
      const more = models.length > NAMED ? ` and ${models.length - NAMED} more` : '';
      return `${models.slice(0, NAMED).join(', ')}${more} (${datasets})`;
    })
    .join('; ');
}
