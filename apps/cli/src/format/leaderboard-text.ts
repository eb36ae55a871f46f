import type { Schemas } from '../connection/api.js';
import { directionMark, estimateText, metricTitle } from './numbers.js';
import { tableText, type Column } from './table.js';

/** Why costs can't be set against performance. */
const WHY_DEGENERATE: Readonly<Record<string, string>> = {
  no_models: 'no model is ranked yet',
  one_model: 'with one model there is nothing to trade it against',
  equal_performance: 'all models perform alike',
  no_information: 'no other metric tells the models apart',
};

export type Leaderboard = Schemas['Leaderboard'];
type Row = Leaderboard['rows'][number];

/** A board for a person, in `width` columns where it fits: ranks with their intervals, a bracket around rows that can not be told apart, and what is missing. */
export function leaderboardText(board: Leaderboard, width = Infinity): string {
  const parts = [title(board)];
  if (board.rows.length === 0) parts.push(emptyText(board));
  if (board.rows.length + board.references.length > 0) parts.push(fittingTable(board, width));
  parts.push(notes(board));
  return parts.filter((part) => part !== '').join('\n\n');
}

function title({ task, benchmarkVersion, revision, publishedAt, official, metrics }: Leaderboard): string {
  const weights = metrics.filter(({ weight }) => weight > 0).map(({ name, weight }) => `${name} ${weight}`);
  return (
    `${task} · benchmark version ${benchmarkVersion}, revision ${revision} of ${publishedAt.slice(0, 16).replace('T', ' ')} UTC` +
    `\nWeights${official ? '' : ' (not the official ones)'}: ${weights.join(', ') || 'none'}`
  );
}

function emptyText({ incomplete }: Leaderboard): string {
  return incomplete.length > 0
    ? 'No model is ranked yet: those that are here are incomplete.'
    : 'Here the models will stand, once one is scored on every dataset. Submit the first: assay submit TASK --name NAME PATH';
}

/** Without the metrics of which nothing is known; those that do not count give way where there is no room. */
function fittingTable(board: Leaderboard, width: number): string {
  const shown = board.metrics.filter(({ name }) =>
    [...board.rows, ...board.references].some(({ metrics }) => metrics[name] !== undefined),
  );
  for (;;) {
    const text = table({ ...board, metrics: shown });
    const last = shown.findLastIndex(({ weight }) => weight === 0);
    if (last < 0 || Math.max(...text.split('\n').map((line) => line.length)) <= width) return text;
    shown.splice(last, 1);
  }
}

function table(board: Leaderboard): string {
  const columns: Column[] = [
    { title: '#' },
    { title: '' },
    { title: 'model' },
    { title: 'owner' },
    { title: 'score ↑', align: 'right' },
    ...board.metrics.map(({ name, unit, direction }) => ({
      title: `${metricTitle(name, unit)} ${directionMark(direction)}`,
      align: 'right' as const,
    })),
  ];
  const brackets = tieBrackets(board.rows);
  const values = (metrics: Row['metrics']): string[] =>
    board.metrics.map(({ name, unit }) => {
      const estimate = metrics[name];
      return estimate ? estimateText(unit, estimate) : '·';
    });
  const ranked = board.rows.map((row, place) => [
    `${brackets[place]} ${rankText(row)}`,
    row.rankLow === row.rankHigh ? '' : `${row.rankLow}–${row.rankHigh}`,
    row.model.name,
    row.model.owner,
    row.dynascore.toFixed(1),
    ...values(row.metrics),
  ]);
  const references = board.references.map(({ name, metrics }) => [
    '  ─',
    '',
    name,
    '(reference)',
    '',
    ...values(metrics),
  ]);
  return tableText(columns, [...ranked, ...references]);
}

const rankText = ({ rank, officialRank }: Row): string =>
  officialRank === null || officialRank === rank ? String(rank) : `${rank} (${officialRank})`;

type Tied = Pick<Row, 'tie' | 'rankLow' | 'rankHigh'>;

/** ┌ │ └ beside the rows of each group that can not be told apart from the row that heads it. */
export function tieBrackets(rows: readonly Tied[]): string[] {
  const brackets = rows.map(() => ' ');
  for (let head = 0; head < rows.length;) {
    let end = head + 1;
    if (rows[head]!.tie) while (end < rows.length && isTiedTo(rows[head]!, rows[end]!)) end++;
    if (end - head > 1) {
      brackets.fill('│', head, end);
      brackets[head] = '┌';
      brackets[end - 1] = '└';
    }
    head = end;
  }
  return brackets;
}

/** Groups may follow one another without a break: where the intervals of the ranks no longer meet, the next begins. */
const isTiedTo = (head: Tied, { tie, rankLow }: Tied): boolean =>
  tie && (rankLow ?? Infinity) <= (head.rankHigh ?? -Infinity);

function notes(board: Leaderboard): string {
  const lines: string[] = [];
  if (board.rows.some(({ tie }) => tie)) lines.push('Rows that share a bracket can not be told apart.');
  if (board.rows.some(({ rank, officialRank }) => officialRank !== null && officialRank !== rank))
    lines.push('In brackets: the rank by the official weights.');
  if (board.degenerate !== undefined)
    lines.push(`The score is the performance alone: ${WHY_DEGENERATE[board.degenerate] ?? board.degenerate}.`);
  if (board.provisional && board.rows.length > 0)
    lines.push('Provisional: exchange rates between metrics still move while fewer than 10 models are ranked.');
  for (const { model, missing } of board.incomplete) {
    lines.push(`Incomplete: ${model.name} (${model.owner})`);
    const reasons = [...new Set(missing.map(({ why }) => why))];
    lines.push(
      ...reasons.map(
        (why) =>
          `  ${missing
            .filter((each) => each.why === why)
            .map(({ dataset }) => dataset)
            .join(', ')}: ${why}`,
      ),
    );
  }
  if (board.nextCursor !== undefined) lines.push('There are more rows: ask for them with --limit.');
  return lines.join('\n');
}
