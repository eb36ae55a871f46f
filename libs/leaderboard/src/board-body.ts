import { createHash } from 'node:crypto';
import type { LeaderboardRow, LeaderboardView } from '@assay/contracts';

/** The bytes of a response, with their entity tag. */
export interface BoardBody {
  readonly bytes: Buffer;
  /** The value of the ETag header, with quotes. */
  readonly etag: string;
}

/**
 * Returns the same text as `JSON.stringify(view)`, but serialises the description and the cells of
 * a model only once for all boards.
 */
export function boardBody(view: LeaderboardView): BoardBody {
  const frame = JSON.stringify({ ...view, rows: [] });
  // quotes within strings are escaped, so this match is the key
  const rows = frame.indexOf('"rows":[]') + '"rows":['.length;
  const parts: Part[] = [frame.slice(0, rows)];
  for (const row of view.rows) addRow(parts, row);
  parts.push(frame.slice(rows));
  return joined(parts);
}

/** Properties that are undefined are omitted. */
function addRow(parts: Part[], row: LeaderboardRow): void {
  const { rank, rankLow, rankHigh, tie, tieHead, first, officialRank, dynascore, aboveMajority, front } = row;
  const place = { rank, rankLow, rankHigh, tie, tieHead, first, officialRank, dynascore, aboveMajority, front };
  const comma = parts.length === 1 ? '' : ',';
  // an object without its closing brace, followed by one without its opening brace
  parts.push(`${comma}${JSON.stringify(place).slice(0, -1)},`, descriptionOf(row));
  parts.push(metricsOf(row.metrics), datasetsOf(row.datasets));
}

/** JSON text that several boards share. */
class SharedJson {
  readonly bytes: Buffer;
  /** The sha256 of the bytes, which represents them in an entity tag. */
  readonly digest: Buffer;

  constructor(json: string) {
    this.bytes = Buffer.from(json);
    this.digest = createHash('sha256').update(this.bytes).digest();
  }
}

/**
 * Returns a function that serialises an object, followed by the text `behind`. The result is cached
 * while the object is in memory.
 */
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

/**
 * Returns the JSON of the model in a row, without braces. Cached while the model reference is in
 * memory and the other values are unchanged.
 */
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

/**
 * Joins the parts. The entity tag is derived from the digests of the parts, so shared parts are not
 * hashed again, and other bytes still have another tag.
 */
function joined(parts: readonly Part[]): BoardBody {
  let size = 0;
  let named = 0;
  for (const part of parts) {
    const length = typeof part === 'string' ? Buffer.byteLength(part) : part.bytes.length;
    size += length;
    named += typeof part === 'string' ? length : part.digest.length;
  }
  // there are hundreds of parts, so each is written in place, without intermediate buffers
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
