import { createHash } from 'node:crypto';
import type { LeaderboardRow, LeaderboardView } from '@assay/contracts';

/** The bytes of an answer, with the tag that names them. */
export interface BoardBody {
  readonly bytes: Buffer;
  /** As it stands in the header, with quotes. */
  readonly etag: string;
}

/** The same text as `JSON.stringify(view)`, without writing what was written before of models: what they are, and their cells. */
export function boardBody(view: LeaderboardView): BoardBody {
  const frame = JSON.stringify({ ...view, rows: [] });
  // a quote within a string is escaped, so this is the key
  const rows = frame.indexOf('"rows":[]') + '"rows":['.length;
  const parts: Part[] = [frame.slice(0, rows)];
  for (const row of view.rows) addRow(parts, row);
  parts.push(frame.slice(rows));
  return joined(parts);
}

/** What is undefined is not written. */
function addRow(parts: Part[], row: LeaderboardRow): void {
  const { rank, rankLow, rankHigh, tie, tieHead, first, officialRank, dynascore, aboveMajority, front } = row;
  const place = { rank, rankLow, rankHigh, tie, tieHead, first, officialRank, dynascore, aboveMajority, front };
  const comma = parts.length === 1 ? '' : ',';
  // an object without its last brace, and one without its first
  parts.push(`${comma}${JSON.stringify(place).slice(0, -1)},`, descriptionOf(row));
  parts.push(metricsOf(row.metrics), datasetsOf(row.datasets));
}

/** JSON that many boards have in common. */
class SharedJson {
  readonly bytes: Buffer;
  /** Names the bytes, with fewer: their sha256. */
  readonly digest: Buffer;

  constructor(json: string) {
    this.bytes = Buffer.from(json);
    this.digest = createHash('sha256').update(this.bytes).digest();
  }
}

/** What an object is written as, and the text behind it; written once for as long as the object is in memory. */
function writtenOnce(behind: string): (part: object) => SharedJson {
  const written = new WeakMap<object, SharedJson>();
  return (part) => {
    const known = written.get(part);
    if (known) return known;

    const fresh = new SharedJson(JSON.stringify(part) + behind);
    written.set(part, fresh);
    return fresh;
  };
}

const metricsOf = writtenOnce(',"datasets":');
const datasetsOf = writtenOnce('}');

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
  const json = new SharedJson(`${JSON.stringify(description).slice(1, -1)},"metrics":`);
  descriptions.set(model, { of: description, json });
  return json;
}

type Part = string | SharedJson;

/** The tag is made of the parts' own: other bytes, another tag, without hashing again what many boards share. */
function joined(parts: readonly Part[]): BoardBody {
  let size = 0;
  let named = 0;
  for (const part of parts) {
    const length = typeof part === 'string' ? Buffer.byteLength(part) : part.bytes.length;
    size += length;
    named += typeof part === 'string' ? length : part.digest.length;
  }
  // hundreds of pieces, so each is written to its place: no list of buffers, no text of all names
  const bytes = Buffer.allocUnsafe(size);
  const names = Buffer.allocUnsafe(named);
  let end = 0;
  let namesEnd = 0;
  for (const part of parts) {
    if (typeof part === 'string') {
      const start = end;
      end += bytes.write(part, start);
      namesEnd += bytes.copy(names, namesEnd, start, end);
    } else {
      bytes.set(part.bytes, end);
      end += part.bytes.length;
      names.set(part.digest, namesEnd);
      namesEnd += part.digest.length;
    }
  }
  return { bytes, etag: etagOf(names) };
}

export const etagOf = (bytes: Uint8Array): string =>
  `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`;
