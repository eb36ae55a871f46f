import { createHash } from 'node:crypto';
import type { LeaderboardRow, LeaderboardView } from '@assay/contracts';

/** The bytes of an answer, with the tag that names them. */
export interface BoardBody {
  readonly bytes: Buffer;
  /** As it stands in the header, with quotes. */
  readonly etag: string;
}

const written = new WeakMap<object, string>();

/** JSON of a part that many boards have in common: written once for as long as the part is in memory. */
function sharedJson(part: object): string {
  const known = written.get(part);
  if (known !== undefined) return known;

  const json = JSON.stringify(part);
  written.set(part, json);
  return json;
}

/** The same bytes as `JSON.stringify(view)`, without writing the cells of models that were written before. */
export function boardJson(view: LeaderboardView): string {
  const frame = JSON.stringify({ ...view, rows: [] });
  // a quote within a string is escaped, so this is the key
  const rows = frame.indexOf('"rows":[]') + '"rows":['.length;
  return `${frame.slice(0, rows)}${view.rows.map(rowJson).join(',')}${frame.slice(rows)}`;
}

function rowJson({ metrics, datasets, ...head }: LeaderboardRow): string {
  return `${JSON.stringify(head).slice(0, -1)},"metrics":${sharedJson(metrics)},"datasets":${sharedJson(datasets)}}`;
}

export function boardBody(view: LeaderboardView): BoardBody {
  const bytes = Buffer.from(boardJson(view));
  return { bytes, etag: etagOf(bytes) };
}

export const etagOf = (bytes: Uint8Array): string =>
  `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`;
