import type { Schemas } from '../connection/api.js';

type Tied = Pick<Schemas['LeaderboardRow'], 'tieHead'>;

/** `┌ │ └` beside each group of consecutive rows that the server calls tied with the same first row. */
export function tieBrackets(rows: readonly Tied[]): string[] {
  return rows.map(({ tieHead }, place) => {
    if (tieHead === undefined) return ' ';
    const above = rows[place - 1]?.tieHead === tieHead;
    const below = rows[place + 1]?.tieHead === tieHead;
    if (above) return below ? '│' : '└';
    return below ? '┌' : ' ';
  });
}
