import type { Leaderboard, Loop } from '@assay/api-client/fetch';
import { boardNotes, unrankedText } from './board-notes.js';
import { type BoardColumns, boardTable, datasetTable } from './board-table.js';
import { metricValue, timeText, unitOf } from './numbers.js';
import { ratesText } from './rates-text.js';
import { wrapped } from './wrapped.js';

export interface BoardTextOptions {
  /** The filter in words, if only part of the board was requested: `models of kind onnx`. */
  readonly only?: string;
  /** Adds the performance on each dataset. */
  readonly byDataset?: true;
  readonly columns?: BoardColumns;
}

/**
 * Formats a board, in `width` columns if it fits: ranks with their intervals, a bar before the rows
 * that could be first, and the models that are not ranked.
 */
export function leaderboardText(board: Leaderboard, width = Infinity, options: BoardTextOptions = {}): string {
  const { only, byDataset, columns } = options;
  const fitted = board.rows.length + board.references.length > 0 ? boardTable(board, width, columns) : null;
  const filter = only === undefined ? [] : [`Only ${only}. Ranks are those on the whole board.`];
  return [
    wrapped([title(board), ...filter].join('\n'), width),
    board.rows.length === 0 ? wrapped(emptyText(board, only), width) : '',
    fitted?.text ?? '',
    byDataset && board.rows.length > 0 ? datasetTable(board) : '',
    wrapped(boardNotes(board, fitted ?? { shown: [], metrics: [], leftOut: [] }), width),
    wrapped(ratesText(board), width),
    wrapped(unrankedText(board), width),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function title({ task, benchmarkVersion, revision, publishedAt, official, weighing, metrics }: Leaderboard): string {
  const weights = metrics.filter(({ weight }) => weight > 0).map(({ name, weight }) => `${name} ${weight}`);
  return [
    `${task} · benchmark version ${benchmarkVersion}, revision ${revision} of ${timeText(publishedAt)}`,
    `Weights: ${weights.join(', ') || 'none'}`,
    ...(official ? [] : [weighing ?? 'Not the official board.']),
  ].join('\n');
}

function emptyText({ incomplete, task, official }: Leaderboard, only: string | undefined): string {
  if (only !== undefined) return 'No matching model is ranked.';
  if (!official) return 'No model is ranked with these settings.';
  return incomplete.length > 0
    ? 'No model is ranked yet. All models are pending or incomplete.'
    : `No model is ranked yet. Models are listed once they are scored on every dataset. Submit the first: assay submit ${task} --name NAME PATH`;
}

/** Formats the target models, each with the evidence for its promotion. */
export function loopText(task: string, { models, next = [] }: Loop): string {
  if (models.length === 0 && next.length === 0) return `No model is in the loop of ${task} yet.`;
  return [
    `In the loop of ${task}:`,
    ...models.map(({ model, since, evidence }) => {
      const values = Object.entries(evidence.values).map(
        ([name, value]) => `${name} ${metricValue(unitOf(name), value)}`,
      );
      return (
        `  ${model.name} since ${timeText(since)}\n` +
        `    ${evidence.rank === null ? 'no rank on' : `rank ${evidence.rank} of`} revision ${evidence.revision}, score ${evidence.dynascore.toFixed(1)} (${values.join(', ')})\n` +
        `    ${evidence.rule}` +
        (evidence.warning === undefined ? '' : `\n    ! ${evidence.warning}`)
      );
    }),
    ...(next.length > 0 ? ['Next:', ...next.map(({ model, why }) => `  ${model.name}: ${why}`)] : []),
  ].join('\n');
}
