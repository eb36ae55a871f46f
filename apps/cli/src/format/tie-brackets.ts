import type { Schemas } from '../connection/api.js';

type Tied = Pick<Schemas['LeaderboardRow'], 'tie' | 'rankLow' | 'rankHigh'>;

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
