import type { LeaderboardRow } from '@assay/api-client/fetch';

type Tied = Pick<LeaderboardRow, 'tieHead'>;

/**
 * Returns a bracket character (`┌`, `│`, `└`) or a space for each row. A bracket joins consecutive
 * rows that the server reports as tied with the same first row.
 */
export function tieBrackets(rows: readonly Tied[]): string[] {
  return rows.map(({ tieHead }, place) => {
    if (tieHead === undefined) return ' ';
    const above = rows[place - 1]?.tieHead === tieHead;
    const below = rows[place + 1]?.tieHead === tieHead;
    if (above) return below ? '│' : '└';
    return below ? '┌' : ' ';
  });
}
