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

  constructor(part: object) {
    this.bytes = Buffer.from(JSON.stringify(part));
    this.name = createHash('sha256').update(this.bytes).digest('base64url');
  }
}

const written = new WeakMap<object, SharedJson>();

/** Written once for as long as the part is in memory. */
function sharedJson(part: object): SharedJson {
  const known = written.get(part) ?? new SharedJson(part);
  written.set(part, known);
  return known;
}

/** The same bytes as `JSON.stringify(view)`, without writing the cells of models that were written before. */
function boardParts(view: LeaderboardView): (string | SharedJson)[] {
  const frame = JSON.stringify({ ...view, rows: [] });
  // a quote within a string is escaped, so this is the key
  const rows = frame.indexOf('"rows":[]') + '"rows":['.length;
  return [frame.slice(0, rows), ...view.rows.flatMap(rowParts), frame.slice(rows)];
}

function rowParts({ metrics, datasets, ...head }: LeaderboardRow, place: number): (string | SharedJson)[] {
  const separator = place === 0 ? '' : ',';
  const opening = `${separator}${JSON.stringify(head).slice(0, -1)},"metrics":`;
  return [opening, sharedJson(metrics), ',"datasets":', sharedJson(datasets), '}'];
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
