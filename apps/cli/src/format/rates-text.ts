import type { Leaderboard } from '@assay/api-client/fetch';
import { metricTitle, threeDigits } from './numbers.js';

type Rate = NonNullable<Leaderboard['explanation']>[number];

/**
 * The number of pairs shown for a metric. The JSON output contains all pairs that the server sends.
 */
const SHOWN = 3;

/**
 * Explains the exchange rate of each metric, in words and with the pairs that it results from if it
 * is not fixed. '' without an explanation.
 */
export function ratesText(board: Leaderboard): string {
  const { explanation = [] } = board;
  if (explanation.length === 0) return '';
  const isFixed = explanation.some(({ rule }) => rule === 'fixed');
  return [
    isFixed
      ? 'How the score is computed: the percent metrics by weight, plus points per halving of a cost'
      : 'How the score is computed: utility ÷ exchange rate, by weight',
  ]
    .concat(explanation.flatMap((rate) => rateLines(board, rate)))
    .join('\n');
}

function rateLines(board: Leaderboard, explained: Rate): string[] {
  const { metric, amrs, revision, rule, pairs, pairCount, sentence } = explained;
  const weight = board.metrics.find(({ name }) => name === metric)?.weight ?? 0;
  if (rule === 'fixed') return [`  ${metric}: weight ${weight}`, `    ${sentence}`];
  const rate = amrs === null ? 'none' : threeDigits(amrs);
  const from = revision === undefined ? '' : `, fixed since revision ${revision}`;
  const shown = middle(pairs);
  return [
    `  ${metric}: weight ${weight}, exchange rate ${rate}${from}`,
    `    ${sentence}`,
    ...shown.map((pair) => `      ${pairText(board, metric, pair)}`),
    ...(pairCount > shown.length && shown.length > 0
      ? [`      and ${pairCount - shown.length} more pairs; --json has ${pairs.length}`]
      : []),
  ];
}

/**
 * Returns the `SHOWN` pairs in the middle of the list. For a rate that is a median, the server
 * sends the pairs around the median.
 */
function middle<T>(pairs: readonly T[]): readonly T[] {
  const start = Math.max(0, Math.floor((pairs.length - SHOWN) / 2));
  return pairs.slice(start, start + SHOWN);
}

function pairText(board: Leaderboard, metric: string, pair: Rate['pairs'][number]): string {
  const names = (ids: readonly string[]): string => ids.map((id) => nameOf(board, id)).join(' = ');
  const performance = board.metrics[0]?.name ?? 'performance';
  const unit = board.metrics.find(({ name }) => name === metric)?.unit ?? 'ratio';
  return (
    `${names(pair.lower)} → ${names(pair.upper)}: ${threeDigits(pair.performanceGap)} points of ${performance}, ` +
    `${threeDigits(pair.gap)} of ${metricTitle(metric, unit)}: ${threeDigits(pair.ratio)}`
  );
}

const nameOf = ({ rows }: Leaderboard, id: string): string =>
  rows.find(({ model }) => model.id === id)?.model.name ?? id;
