import { BELOW_BASELINE, type LeaderboardRow, type LeaderboardView } from '@assay/contracts/boards';
import { type Estimate, isCostMetric } from '@assay/contracts/metrics';
import { metricWords } from '@assay/contracts/text';
import {
  aggregateMarks,
  costMarks,
  boardCellMarks,
  evaluatorNames,
  type FigureMark,
  marksLegend,
} from '@assay/scoring/marks';
import type { Cell, Column, ColumnUnit, Row, Table } from './table.js';

type BoardMetric = LeaderboardView['metrics'][number];

/**
 * Returns a board as a table: the same rows in the same order, with weights, ties, reference rows
 * and incomplete models.
 */
export function boardTable(view: LeaderboardView): Table {
  const shown = {
    metrics: shownMetrics(view),
    hasReasons: view.rows.some((row) => reasonsOf(row).length > 0),
    hasPossibleCopies: view.rows.some(({ possibleCopyOf }) => possibleCopyOf),
  };
  return {
    caption: captionOf(view),
    notes: notesOf(view),
    columns: columnsOf(view, shown),
    groups: [
      view.rows.map((row) => rankedRow(view, shown, row)),
      view.references.map((reference) => referenceRow(view, shown, reference)),
      view.incomplete.map((incomplete) => incompleteRow(view, shown, incomplete)),
    ],
    throughout: [
      { name: 'task', value: view.task },
      { name: 'benchmark_version', value: `v${view.benchmarkVersion}` },
      { name: 'revision', value: `r${view.revision}` },
      { name: 'published_at', value: view.publishedAt },
      { name: 'weights', value: `${view.official ? 'official' : 'not official'}: ${weightsText(view)}` },
    ],
  };
}

/** The columns that depend on the rows. */
interface ShownColumns {
  readonly metrics: readonly BoardMetric[];
  /** True if there is a column with the reasons why metrics have no interval. */
  readonly hasReasons: boolean;
  /** True for a column with the models that a model may be a copy of. */
  readonly hasPossibleCopies: boolean;
}

/** Returns the metrics that some row has a value for. */
const shownMetrics = ({ metrics, rows, references }: LeaderboardView): readonly BoardMetric[] =>
  metrics.filter(({ name }) => [...rows, ...references].some((row) => row.metrics[name] !== undefined));

/**
 * Returns the columns. CSV has all known values. LaTeX has those that a paper needs: rank, model,
 * score, performance, weighted metrics and weighted datasets.
 */
function columnsOf(view: LeaderboardView, { metrics, hasReasons, hasPossibleCopies }: ShownColumns): Column[] {
  const text = (name: string): Column => ({ name, title: name, kind: 'text', unit: 'text', csvOnly: true });
  return [
    { name: 'rank', title: 'Rank', kind: 'range', unit: 'count' },
    ...(view.official ? [] : [{ name: 'official_rank', title: 'Official', kind: 'number', unit: 'count' } as const]),
    text('tie'),
    text(view.schema > 1 ? 'could_be_first' : 'tie_head'),
    { ...text('model'), title: 'Model', csvOnly: false },
    text('owner'),
    text('model_id'),
    text('row'),
    { name: 'dynascore', title: 'Score', kind: 'number', unit: 'score' },
    ...metrics.map(({ name, unit, weight }): Column => ({
      name,
      title: metricWords(name),
      kind: 'interval',
      unit: unit as ColumnUnit,
      csvOnly: weight === 0 && name !== performanceOf(view),
      marked: true,
    })),
    ...perDataset(view).map(({ name, metric, weight }): Column => ({
      name: `${name}:${metric.name}`,
      title: name,
      kind: 'number',
      unit: metric.unit as ColumnUnit,
      csvOnly: weight === 0,
      marked: true,
    })),
    ...againstColumns(view),
    text('evaluators'),
    text('missing'),
    ...(hasReasons ? [text('no_interval')] : []),
    ...(hasPossibleCopies ? [text('possible_copy_of')] : []),
  ];
}

/** The task's performance metric comes first. */
const performanceOf = ({ metrics }: LeaderboardView): string | undefined => metrics[0]?.name;

type BoardDataset = LeaderboardView['datasets'][number];

/**
 * Returns the datasets with the performance metric. The other metrics of a cell are only in the
 * JSON of the board.
 */
function perDataset({ datasets, metrics }: LeaderboardView): (BoardDataset & { readonly metric: BoardMetric })[] {
  const performance = metrics[0];
  return performance ? datasets.map((dataset) => ({ ...dataset, metric: performance })) : [];
}

function rankedRow(
  view: LeaderboardView,
  { metrics, hasReasons, hasPossibleCopies }: ShownColumns,
  row: LeaderboardRow,
): Row {
  const { rank, rankLow, rankHigh, officialRank } = row;
  return [
    rank === null ? null : { value: rank, low: rankLow, high: rankHigh },
    ...(view.official ? [] : [officialRank === null ? null : { value: officialRank }]),
    row.tie ? 'tied' : null,
    view.schema > 1 ? couldBeFirst(row) : (row.tieHead ?? null),
    row.model.name,
    row.model.owner,
    row.model.id,
    row.belowBaseline ? 'below baseline' : 'ranked',
    { value: row.dynascore },
    ...metrics.map(({ name }) => markedFigure(row.metrics[name], (estimate) => metricMarks(view, row, name, estimate))),
    ...datasetCells(view, row.datasets, row),
    ...againstCells(view, row),
    row.evaluators ? evaluatorNames(row.evaluators) : null,
    null,
    ...(hasReasons
      ? [
          reasonsOf(row)
            .map(([name, why]) => `${name}: ${why}`)
            .join('; ') || null,
        ]
      : []),
    ...(hasPossibleCopies ? [row.possibleCopyOf?.join(' ') ?? null] : []),
  ];
}

function referenceRow(
  view: LeaderboardView,
  { metrics, hasReasons, hasPossibleCopies }: ShownColumns,
  { name, metrics: values, datasets }: LeaderboardView['references'][number],
): Row {
  return [
    ...unranked(view),
    name,
    null,
    null,
    'reference',
    null,
    ...metrics.map((metric) => values[metric.name] ?? null),
    ...datasetCells(view, datasets),
    ...againstCells(view),
    null,
    null,
    ...(hasReasons ? [null] : []),
    ...(hasPossibleCopies ? [null] : []),
  ];
}

function incompleteRow(
  view: LeaderboardView,
  { metrics, hasReasons, hasPossibleCopies }: ShownColumns,
  { model, missing }: LeaderboardView['incomplete'][number],
): Row {
  return [
    ...unranked(view),
    model.name,
    model.owner,
    model.id,
    'incomplete',
    null,
    ...metrics.map(() => null),
    ...perDataset(view).map(() => null),
    ...againstCells(view),
    null,
    missing.map(({ dataset, why }) => `${dataset}: ${why}`).join('; '),
    ...(hasReasons ? [null] : []),
    ...(hasPossibleCopies ? [null] : []),
  ];
}

/** Returns the columns with the difference from a model, or from the previous benchmark version. */
function againstColumns(view: LeaderboardView): Column[] {
  if (!view.against) return [];
  const unit = view.metrics.find(({ name }) => name === view.against!.metric)!.unit as ColumnUnit;
  return [
    { name: 'difference', title: 'Difference', kind: 'interval', unit },
    { name: 'difference_p', title: 'p', kind: 'number', unit: 'p', csvOnly: true },
    { name: 'difference_holm', title: 'p', kind: 'number', unit: 'p' },
    { name: 'difference_verdict', title: 'Verdict', kind: 'text', unit: 'text' },
    { name: 'difference_datasets', title: 'Datasets', kind: 'text', unit: 'text', csvOnly: true },
  ];
}

/** @param row absent for a row that is not compared */
function againstCells(view: LeaderboardView, row?: LeaderboardRow): Cell[] {
  if (!view.against) return [];
  const found = row?.against;
  if (!found) return Array.from({ length: 5 }, () => null);
  const { difference, p, holm, verdict, comparable, of } = found;
  return [
    difference,
    p === null ? null : { value: p },
    holm === null ? null : { value: holm },
    verdict === 'none' ? 'tied' : verdict,
    `${comparable} of ${of}`,
  ];
}

/** Returns a note about what the rows are compared with. */
function againstNotes({ against }: LeaderboardView): string[] {
  if (!against) return [];
  const { model, benchmarkVersion, metric, rows } = against;
  const other = model ? `${model.name} (${model.owner})` : `the same model on benchmark version ${benchmarkVersion}`;
  return [`Difference: ${metricWords(metric)} minus that of ${other}; p corrected for the ${rows} rows (Holm).`];
}
const couldBeFirst = ({ couldBeFirst: could = null }: LeaderboardRow): string | null => {
  if (could === null) return null;
  return could ? 'yes' : 'no';
};

/** Returns why metrics of a row have no interval, where the reason is known. */
const reasonsOf = ({ metrics }: LeaderboardRow): [name: string, why: string][] =>
  Object.entries(metrics).flatMap(([name, { why }]): [string, string][] => (why === undefined ? [] : [[name, why]]));

/** Returns a note about the metrics that have no interval in some row. */
function reasonNotes(rows: readonly LeaderboardRow[]): string[] {
  const reasons = [...new Set(rows.flatMap(reasonsOf).map(([name, why]) => `${metricWords(name)} (${why})`))];
  return reasons.length === 0 ? [] : [`Without an interval: ${reasons.join('; ')}.`];
}

/**
 * Returns empty cells for the rank, the official rank if there is such a column, the tie, and whether
 * the row could be first (in schema 1: the head of the tie).
 */
const unranked = ({ official }: LeaderboardView): Cell[] => Array.from({ length: official ? 3 : 4 }, () => null);

/** @param row absent for a reference row, which has no marks */
const datasetCells = (view: LeaderboardView, datasets: LeaderboardRow['datasets'], row?: LeaderboardRow): Cell[] =>
  perDataset(view).map(({ name, metric }) => {
    const estimate = datasets[name]?.[metric.name];
    return estimate ? { value: estimate.value, marks: row ? boardCellMarks(row, name, estimate) : [] } : null;
  });

const markedFigure = (estimate: Estimate | undefined, marksOf: (estimate: Estimate) => readonly FigureMark[]): Cell =>
  estimate ? { ...estimate, marks: marksOf(estimate) } : null;

const metricMarks = (view: LeaderboardView, row: LeaderboardRow, metric: string, estimate: Estimate): FigureMark[] =>
  isCostMetric(metric) ? costMarks(estimate) : aggregateMarks(row, weighedDatasets(view), estimate);

const weighedDatasets = ({ datasets }: LeaderboardView): string[] =>
  datasets.filter(({ weight }) => weight > 0).map(({ name }) => name);

function captionOf(view: LeaderboardView): string {
  const { task, benchmarkVersion, revision, publishedAt } = view;
  const board = `${task}, benchmark version ${benchmarkVersion}, revision ${revision} of ${publishedAt.slice(0, 10)}.`;
  const weights = `Weights: ${weightsText(view)}.`;
  if (view.official) return `${board} ${weights}`;
  return `${board} ${view.weighing ?? "Not the official board: weights or settings differ from the task's."} ${weights}`;
}

function weightsText({ metrics }: LeaderboardView): string {
  const weights = metrics.filter(({ weight }) => weight > 0).map(({ name, weight }) => `${name} ${weight}`);
  return weights.join(', ') || 'none';
}

function notesOf(view: LeaderboardView): string[] {
  const notes = ['± is half of a 95% interval; ranks in brackets are a 95% interval too.'];
  notes.push(...(view.schema > 1 ? firstNotes(view.rows) : tieNotes(view.rows)), ...marksLegend(shownMarks(view)));
  notes.push(...reasonNotes(view.rows), ...evaluatorNotes(view.rows));
  if (!view.official) notes.push("Official: the rank by the task's own weights.");
  notes.push(...againstNotes(view), ...rateNotes(view));
  if (view.rows.some(({ belowBaseline }) => belowBaseline)) notes.push(BELOW_BASELINE);
  notes.push(...possibleCopyNotes(view.rows));
  if (view.degenerate !== undefined) notes.push(`The score is the performance alone (${view.degenerate}).`);
  if (view.provisional && view.rows.length > 0) {
    notes.push('Provisional: exchange rates between metrics still move while fewer than 10 models are ranked.');
  }
  if (view.nextCursor !== undefined) notes.push('More rows follow on the next page.');
  for (const { model, missing } of view.incomplete) {
    notes.push(
      `Incomplete: ${model.name} (${model.owner}). ${missing.map(({ dataset, why }) => `${dataset}: ${why}`).join('; ')}`,
    );
  }
  return notes;
}

/** Returns a note about the fixed exchange rates of the costs that count. */
function rateNotes({ metrics }: LeaderboardView): string[] {
  const rates = metrics.filter(({ weight, rate }) => weight > 0 && typeof rate === 'number');
  if (rates.length === 0) return [];
  return [`Exchange rates, in points per doubling: ${rates.map(({ name, rate }) => `${name} ${rate}`).join(', ')}.`];
}

/** Returns a note about the models in this table that may be copies of others. */
function possibleCopyNotes(rows: readonly LeaderboardRow[]): string[] {
  const names = rows.filter(({ possibleCopyOf }) => possibleCopyOf).map(({ model }) => model.name);
  if (names.length === 0) return [];
  return [`Possible copy: ${names.join(', ')}. They share more errors than models with like accuracy do.`];
}

/** Returns a note about the models in this table that could be first, unless it is one alone. */
function firstNotes(rows: readonly LeaderboardRow[]): string[] {
  const names = rows.filter((row) => row.couldBeFirst).map(({ model }) => model.name);
  return names.length < 2 ? [] : [`Could be first (95%), and tied with each other: ${names.join(', ')}.`];
}

/**
 * Returns a note about tied consecutive ranks of schema 1. Only groups with several rows in this table count.
 */
function tieNotes(rows: readonly LeaderboardRow[]): string[] {
  const groups = [...Map.groupBy(rows, ({ tieHead }) => tieHead)]
    .filter(([head, group]) => head !== undefined && group.length > 1)
    .map(([, group]) => `ranks ${group[0]!.rank} to ${group.at(-1)!.rank}`);
  if (groups.length === 0) return [];
  return [`Tied, as the score difference to the first of them could be chance (95%): ${groups.join('; ')}.`];
}

/** Returns a note about the models that evaluators of users ran. */
function evaluatorNotes(rows: readonly LeaderboardRow[]): string[] {
  const models = rows.flatMap(({ model, evaluators }) =>
    evaluators ? [`${model.name} on ${evaluatorNames(evaluators)}`] : [],
  );
  return models.length === 0 ? [] : [`Run on evaluators of users: ${models.join('; ')}.`];
}

/** Returns the marks of the figures in the LaTeX table. */
function shownMarks(view: LeaderboardView): FigureMark[] {
  const metrics = view.metrics.filter(({ name, weight }) => weight > 0 || name === performanceOf(view));
  const datasets = weighedDatasets(view);
  return view.rows.flatMap((row) => [
    ...datasets
      .filter((name) => row.datasets[name])
      .flatMap((name) => boardCellMarks(row, name, row.datasets[name]![performanceOf(view) ?? ''])),
    ...metrics.flatMap(({ name }) => {
      const estimate = row.metrics[name];
      return estimate ? metricMarks(view, row, name, estimate) : [];
    }),
  ]);
}
