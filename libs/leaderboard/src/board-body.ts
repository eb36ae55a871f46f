import { createHash } from 'node:crypto';
import type { LeaderboardRow, LeaderboardView } from '@assay/contracts';

/** The bytes of an answer, with the tag that names them. */
export interface BoardBody {
  readonly bytes: Buffer;
  /** As it stands in the header, with quotes. */
  readonly etag: string;
}

/** JSON of a part that many boards have in common. */
class SharedJson {
  readonly bytes: Buffer;
  /** Names the bytes, with fewer: their sha256. */
  readonly name: string;

  constructor(json: string) {
    this.bytes = Buffer.from(json);
    this.name = createHash('sha256').update(this.bytes).digest('base64url');
  }
}

const written = new WeakMap<object, SharedJson>();

/** Written once for as long as the part is in memory. */
function sharedJson(part: object): SharedJson {
  const known = written.get(part) ?? new SharedJson(JSON.stringify(part));
  written.set(part, known);
  return known;
}

/** The same text as `JSON.stringify(view)`, without writing what was written before of models: what they are, and their cells. */
function boardParts(view: LeaderboardView): (string | SharedJson)[] {
  const frame = JSON.stringify({ ...view, rows: [] });
  // a quote within a string is escaped, so this is the key
  const rows = frame.indexOf('"rows":[]') + '"rows":['.length;
  const parts: (string | SharedJson)[] = [frame.slice(0, rows)];
  for (const [place, row] of view.rows.entries()) {
    if (place > 0) parts.push(',');
    addRow(parts, row);
  }
  parts.push(frame.slice(rows));
  return parts;
}

/** What is undefined is not written. */
function addRow(parts: (string | SharedJson)[], row: LeaderboardRow): void {
  const { rank, rankLow, rankHigh, tie, tieHead, first, officialRank, dynascore, aboveMajority, front } = row;
  const place = { rank, rankLow, rankHigh, tie, tieHead, first, officialRank, dynascore, aboveMajority, front };
  // an object without its last brace, and one without its first
  parts.push(`${JSON.stringify(place).slice(0, -1)},`, descriptionOf(row));
  parts.push(',"metrics":', sharedJson(row.metrics), ',"datasets":', sharedJson(row.datasets), '}');
}

type Description = Pick<LeaderboardRow, 'model' | 'kind' | 'attempts' | 'size' | 'acceptedAt' | 'own' | 'exposure'>;

const descriptions = new WeakMap<LeaderboardRow['model'], { readonly of: Description; readonly json: SharedJson }>();

/** Of the model in a row, without braces; written once for as long as its reference is in memory and nothing else of it is another. */
function descriptionOf({ model, kind, attempts, size, acceptedAt, own, exposure }: LeaderboardRow): SharedJson {
  const known = descriptions.get(model);
  if (
    known &&
    known.of.kind === kind &&
    known.of.attempts === attempts &&
    known.of.size === size &&
    known.of.acceptedAt === acceptedAt &&
    known.of.own === own &&
    known.of.exposure === exposure
  ) {
    return known.json;
  }
  const description = { model, kind, attempts, size, acceptedAt, own, exposure };
  const json = new SharedJson(JSON.stringify(description).slice(1, -1));
  descriptions.set(model, { of: description, json });
  return json;
}

/** The tag is made of the parts' own: other bytes, another tag, without hashing again what many boards share. */
export function boardBody(view: LeaderboardView): BoardBody {
  const parts = boardParts(view);
  const bytes = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part.bytes)));
  const names = parts.map((part) => (typeof part === 'string' ? part : part.name));
  return { bytes, etag: etagOf(Buffer.from(names.join(''))) };
}

export const etagOf = (bytes: Uint8Array): string =>
  `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`;
