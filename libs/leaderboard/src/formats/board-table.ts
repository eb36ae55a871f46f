import { type LeaderboardRow, type LeaderboardView, metricWords } from '@assay/contracts';
import type { Cell, Column, ColumnUnit, Row, Table } from './table.js';

type BoardMetric = LeaderboardView['metrics'][number];

/** A board as it is shown: the same rows in the same order, with the weights, the ties, the references and who is incomplete. */
export function boardTable(view: LeaderboardView): Table {
  const metrics = shownMetrics(view);
  return {
    caption: captionOf(view),
    notes: notesOf(view),
    columns: columnsOf(view, metrics),
    groups: [
      view.rows.map((row) => rankedRow(view, metrics, row)),
      view.references.map((reference) => referenceRow(view, metrics, reference)),
      view.incomplete.map((incomplete) => incompleteRow(view, metrics, incomplete)),
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

/** Without those of which nothing is known. */
const shownMetrics = ({ metrics, rows, references }: LeaderboardView): readonly BoardMetric[] =>
  metrics.filter(({ name }) => [...rows, ...references].some((row) => row.metrics[name] !== undefined));

function columnsOf(view: LeaderboardView, metrics: readonly BoardMetric[]): Column[] {
  const text = (name: string, title: string): Column => ({ name, title, kind: 'text', unit: 'text' });
  const detail = (name: string): Column => ({ name, title: name, kind: 'detail', unit: 'text' });
  return [
    { name: 'rank', title: 'Rank', kind: 'range', unit: 'count' },
    ...(view.official ? [] : [{ name: 'official_rank', title: 'Official', kind: 'number', unit: 'count' } as const]),
    text('tie', 'Tie'),
    text('model', 'Model'),
    text('owner', 'Owner'),
    detail('model_id'),
    detail('row'),
    { name: 'dynascore', title: 'Score', kind: 'number', unit: 'score' },
    ...metrics.map(({ name, unit }): Column => ({
      name,
      title: metricWords(name),
      kind: 'interval',
      unit: unit as ColumnUnit,
    })),
    ...perDataset(view).map(({ name, metric }): Column => ({
      name: `${name}:${metric.name}`,
      title: name,
      kind: 'detail',
      unit: metric.unit as ColumnUnit,
    })),
    detail('missing'),
  ];
}

/** The performance on each dataset; the rest of a cell is in the board's JSON. */
function perDataset({ datasets, metrics }: LeaderboardView): { readonly name: string; readonly metric: BoardMetric }[] {
  const performance = metrics[0];
  return performance ? datasets.map(({ name }) => ({ name, metric: performance })) : [];
}

function rankedRow(view: LeaderboardView, metrics: readonly BoardMetric[], row: LeaderboardRow): Row {
  const { rank, rankLow, rankHigh, officialRank } = row;
  return [
    { value: rank, low: rankLow, high: rankHigh },
    ...(view.official ? [] : [officialRank === null ? null : { value: officialRank }]),
    row.tie ? '=' : null,
    row.model.name,
    row.model.owner,
    row.model.id,
    'ranked',
    { value: row.dynascore },
    ...metrics.map(({ name }) => row.metrics[name] ?? null),
    ...datasetCells(view, row.datasets),
    null,
  ];
}

function referenceRow(
  view: LeaderboardView,
  metrics: readonly BoardMetric[],
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
    null,
  ];
}

function incompleteRow(
  view: LeaderboardView,
  metrics: readonly BoardMetric[],
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
    missing.map(({ dataset, why }) => `${dataset}: ${why}`).join('; '),
  ];
}

/** Rank, official rank where there is such a column, and tie. */
const unranked = ({ official }: LeaderboardView): Cell[] => (official ? [null, null] : [null, null, null]);

const datasetCells = (view: LeaderboardView, datasets: LeaderboardRow['datasets']): Cell[] =>
  perDataset(view).map(({ name, metric }) => {
    const estimate = datasets[name]?.[metric.name];
    return estimate ? { value: estimate.value } : null;
  });

function captionOf(view: LeaderboardView): string {
  const { task, benchmarkVersion, revision, publishedAt } = view;
  const board = `${task}, benchmark version ${benchmarkVersion}, revision ${revision} of ${publishedAt.slice(0, 10)}.`;
  const weights = `Weights: ${weightsText(view)}.`;
  if (view.official) return `${board} ${weights}`;
  return `${board} ${view.weighing ?? "Not the official board: other weights or choices than the task's own."} ${weights}`;
}

function weightsText({ metrics }: LeaderboardView): string {
  const weights = metrics.filter(({ weight }) => weight > 0).map(({ name, weight }) => `${name} ${weight}`);
  return weights.join(', ') || 'none';
}

function notesOf(view: LeaderboardView): string[] {
  const notes = ['± is half of a 95% interval.'];
  if (view.rows.some(({ tie }) => tie)) notes.push('= can not be told apart from the row that heads its group.');
  if (!view.official) notes.push("Official: the rank by the task's own weights.");
  if (view.degenerate !== undefined) notes.push(`The score is the performance alone (${view.degenerate}).`);
  if (view.provisional && view.rows.length > 0) {
    notes.push('Provisional: exchange rates between metrics still move while fewer than 10 models are ranked.');
  }
  if (view.nextCursor !== undefined) notes.push('There are more rows than these.');
  for (const { model, missing } of view.incomplete) {
    notes.push(
      `Incomplete: ${model.name} (${model.owner}). ${missing.map(({ dataset, why }) => `${dataset}: ${why}`).join('; ')}`,
    );
  }
  return notes;
}
