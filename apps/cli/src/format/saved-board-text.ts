import type { Fork, ForkSummary, SavedWeighing, Snapshot } from '@assay/api-client/fetch';
import { type BoardTextOptions, leaderboardText } from './leaderboard-text.js';
import { tableText } from './table.js';
import { timeText } from './numbers.js';
import { wrapped } from './wrapped.js';

/** Formats the board of a fork or the frozen board of a snapshot, with its name and owner. */
export function savedBoardText(saved: Fork | Snapshot, width = Infinity, options: BoardTextOptions = {}): string {
  const { name, owner, createdAt, description, board } = saved;
  const of = `${name} of ${owner}, created ${timeText(createdAt)}`;
  const [title, state] =
    'revision' in saved
      ? [
          `Snapshot ${of}: ${saved.address}`,
          `It is frozen and is not official${board.official ? `, although it was at revision ${board.revision}` : ''}`,
        ]
      : [`Fork ${of}`, 'It stays up to date and is not official'];
  const official = `${state}. Show the official board: assay leaderboard ${board.task}`;
  const head = [title, ...(description === '' ? [] : [description]), official];
  return `${wrapped(head.join('\n'), width)}\n\n${leaderboardText(board, width, options)}`;
}

/** Formats forks or snapshots, one per line. */
export function savedBoardsTable(items: readonly (ForkSummary & { readonly revision?: number })[]): string {
  const hasRevision = items.some(({ revision }) => revision !== undefined);
  return tableText(
    ['name', 'owner', 'created', ...(hasRevision ? ['revision'] : []), 'differs in', 'description'],
    items.map(({ name, owner, createdAt, revision, weighing, description }) => [
      name,
      owner,
      timeText(createdAt),
      ...(hasRevision ? [`r${revision}`] : []),
      weighingText(weighing),
      description,
    ]),
  );
}

/**
 * Formats how a weighing differs from the task's own: `weights accuracy 0, macro_f1 1; exchange
 * rates live`.
 */
export function weighingText({ weights, datasets, amrs, ownRounds }: SavedWeighing): string {
  const values = (named: Readonly<Record<string, number>>): string =>
    Object.entries(named)
      .map(([name, value]) => `${name} ${value}`)
      .join(', ');
  const parts = [
    ...(Object.keys(weights).length > 0 ? [`weights ${values(weights)}`] : []),
    ...(Object.keys(datasets).length > 0 ? [`datasets ${values(datasets)}`] : []),
    ...(amrs === 'official' ? [] : [`exchange rates ${amrs}`]),
    ...(ownRounds === undefined ? [] : [`own rounds ${ownRounds}`]),
  ];
  return parts.join('; ') || 'nothing';
}
