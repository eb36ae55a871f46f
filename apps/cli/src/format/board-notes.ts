import type { Leaderboard } from '@assay/api-client/fetch';
import { BELOW_BASELINE } from '@assay/contracts/boards';
import { marksLegend } from './board-marks.js';
import { FIRST_BAR, type FittedTable } from './board-table.js';
import { disclosureText } from './disclosure-text.js';
import { count, sharePercent } from './numbers.js';

/** Reasons why costs cannot be weighed against performance. */
const WHY_DEGENERATE: Readonly<Record<string, string>> = {
  no_models: 'no model is ranked yet',
  one_model: 'only one model is ranked',
  equal_performance: 'all models perform alike',
  no_information: 'no other metric distinguishes the models',
};

/** Returns the notes that explain the table of a board, one sentence per line. */
export function boardNotes(board: Leaderboard, { shown, metrics, leftOut }: Omit<FittedTable, 'text'>): string {
  const { rows, official, degenerate, hardware } = board;
  const has = (column: string): boolean => shown.includes(column);
  return [
    ...candidatesText(board),
    ...marksLegend(board, metrics),
    ...(board.disclosure === 'exact' ? [disclosureText(board.disclosure)] : []),
    ...(has('attempts') ? ['attempts: accepted submissions of its owner to this task.'] : []),
    ...(official || rows.length === 0 ? [] : ["official: the rank by the task's own weights and choices."]),
    ...(degenerate === undefined
      ? []
      : [`The score is the performance alone: ${WHY_DEGENERATE[degenerate] ?? degenerate}.`]),
    ...(board.provisional && rows.length > 0
      ? ['Provisional: exchange rates between metrics still move while fewer than 10 models are ranked.']
      : []),
    ...(rows.some(({ belowBaseline }) => belowBaseline) ? [BELOW_BASELINE] : []),
    ...againstText(board),
    ...possibleCopiesText(board),
    ...ratesText(board),
    ...stabilityText(board),
    ...(typeof hardware === 'string' ? [`Costs were measured on ${hardware}.`] : []),
    ...(leftOut.length > 0 ? [`Columns that do not fit the width: ${leftOut.join(', ')}. Show them with --json.`] : []),
    ...(board.nextCursor === undefined ? [] : ['There are more rows. Show them with --limit.']),
  ].join('\n');
}

/** Explains the bar before the models that could be first. */
function candidatesText({ rows }: Leaderboard): string[] {
  const count = rows.filter(({ couldBeFirst }) => couldBeFirst).length;
  if (count === 1) return [`${FIRST_BAR} first with 95% confidence.`];
  return count === 0 ? [] : [`${FIRST_BAR} could be first (95%): ${count} models. They are tied with the first.`];
}

/** Explains the column with the differences. */
function againstText({ against }: Leaderboard): string[] {
  if (!against) return [];
  const { model, benchmarkVersion, metric, rows } = against;
  const other = model ? `that of ${model.name}` : `that of the same model on benchmark version ${benchmarkVersion}`;
  return [`Last column: ${metric} minus ${other}. ≈ not significant (95%), corrected for the ${rows} rows.`];
}

/** Names the models that may be copies of others, with these. */
function possibleCopiesText({ rows }: Leaderboard): string[] {
  const names = new Map(rows.map(({ model }) => [model.id, model.name]));
  const copies = rows.flatMap(({ model, possibleCopyOf }) => {
    const others = possibleCopyOf?.map((id) => names.get(id) ?? 'a model that is not shown');
    return others ? [`${model.name} (of ${others.join(', ')})`] : [];
  });
  if (copies.length === 0) return [];
  return [`possible copy: ${copies.join('; ')}. They share more errors than models with like accuracy do.`];
}

/** Names the fixed exchange rates of the costs that count. */
function ratesText({ metrics }: Leaderboard): string[] {
  const rates = metrics.flatMap(({ name, weight, rate }) =>
    weight > 0 && typeof rate === 'number' ? [`${name} ${rate}`] : [],
  );
  return rates.length === 0 ? [] : [`score: costs count in points per doubling, by weight: ${rates.join(', ')}.`];
}

function stabilityText({ stability, rows, official }: Leaderboard): string[] {
  const { first = null, stays = null, firsts = [], draws = 0 } = stability ?? {};
  if (first === null || stays === null) return [];
  const names = new Map(rows.map(({ model }) => [model.id, model.name]));
  const others = firsts
    .filter(({ id, share }) => id !== first && share >= 0.005)
    .slice(0, 3)
    .map(({ id, share }) => `${names.get(id) ?? 'one that is not shown'} in ${sharePercent(share)}%`);
  const whose = names.has(first) ? `The first, ${names.get(first)},` : 'The first, which is not shown,';
  return [
    `${whose} stays first in ${sharePercent(stays)}% of ${count(draws)} draws of weights around ` +
      `${official ? "the task's" : 'these'}${others.length > 0 ? `; ${others.join(', ')}` : ''}.`,
  ];
}

/**
 * Formats the models without a rank: first those with pending evaluations, then the incomplete
 * ones.
 */
export function unrankedText({ incomplete }: Leaderboard): string {
  const text = (title: string, models: Leaderboard['incomplete']): string[] =>
    models.length === 0 ? [] : [[title, ...models.map(missingText)].join('\n')];
  return [
    ...text(
      'Pending (not ranked yet, evaluations are not finished):',
      incomplete.filter(({ pending }) => pending),
    ),
    ...text(
      'Incomplete (not ranked):',
      incomplete.filter(({ pending }) => !pending),
    ),
  ].join('\n\n');
}

function missingText({ model, missing }: Leaderboard['incomplete'][number]): string {
  const reasons = [...new Set(missing.map(({ why }) => why))];
  const datasetsOf = (reason: string): string =>
    missing
      .filter(({ why }) => why === reason)
      .map(({ dataset }) => dataset)
      .join(', ');
  return [`  ${model.name} (${model.owner})`, ...reasons.map((why) => `    ${datasetsOf(why)}: ${why}`)].join('\n');
}
