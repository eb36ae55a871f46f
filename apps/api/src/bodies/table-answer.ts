import type { TableFormat } from '@assay/contracts/boards';
import {
  CONTENT_ENCODINGS,
  type ContentEncoding,
  CSV_MEDIA_TYPE,
  csvOf,
  encodedBody,
  etagOf,
  LATEX_MEDIA_TYPE,
  latexOf,
  type ResponseBody,
  type Table,
} from '@assay/leaderboard/formats';
import { negotiate } from '@fastify/accept-negotiator';
import { HttpStatus } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** The media types by format. Clients without a preference get the first. */
const MEDIA_TYPES: Readonly<Record<TableFormat, string>> = {
  json: 'application/json',
  csv: CSV_MEDIA_TYPE,
  latex: LATEX_MEDIA_TYPE,
};
const TABLES = { csv: { extension: 'csv', write: csvOf }, latex: { extension: 'tex', write: latexOf } } as const;

export interface TableAnswer<T> {
  readonly view: T;
  readonly tableOf: (view: T) => Table;
  /** The name of the file to save it as, without extension. */
  readonly name: string;
  /** The format in the query. Undefined: as the `Accept` header prefers. */
  readonly format: TableFormat | undefined;
}

/**
 * Returns the format of the response: the one in the query, otherwise the one that the `Accept`
 * header prefers.
 */
export const formatOf = (request: FastifyRequest, asked: TableFormat | undefined): TableFormat =>
  asked ?? preferred(request.headers.accept);

/** Returns the first supported encoding that the client accepts (RFC 9110, 12.5.3). */
export function encodingOf({ headers }: FastifyRequest): ContentEncoding {
  const header = headers['accept-encoding'] ?? '';
  const taken = (Array.isArray(header) ? header.join(',') : header)
    .split(',')
    .map((each) => each.trim().split(/\s*;\s*/))
    .filter(([, quality]) => quality === undefined || Number(quality.replace(/^q=/i, '')) > 0)
    .map(([name = '']) => name.toLowerCase());
  return CONTENT_ENCODINGS.find((encoding) => taken.includes(encoding)) ?? 'identity';
}

/** Responds with JSON bytes, in an encoding that the client accepts. */
export async function answerEncoded(
  request: FastifyRequest,
  reply: FastifyReply,
  body: ResponseBody,
): Promise<Buffer | undefined> {
  const encoding = encodingOf(request);
  void reply.header('cache-control', 'no-cache');
  const type = `${MEDIA_TYPES.json}; charset=utf-8`;
  const encoded = await encodedBody(body, encoding);
  return answerTagged(request, reply, encoded, { type, vary: 'accept, accept-encoding', encoding });
}

/** Responds with bytes, or with 304 if the client already has them. */
export function answerTagged(
  request: FastifyRequest,
  reply: FastifyReply,
  { bytes, etag }: ResponseBody,
  { type, vary, encoding }: { readonly type: string; readonly vary: string; readonly encoding: ContentEncoding },
): Buffer | undefined {
  void reply.header('vary', vary).header('content-type', type);
  if (encoding !== 'identity') void reply.header('content-encoding', encoding);
  return unlessKnown(request, reply, bytes, etag);
}

/**
 * Responds with the view as JSON, or as a table in CSV or LaTeX. Responds with 304 if the client
 * already has the bytes.
 */
export function answerTable<T>(
  request: FastifyRequest,
  reply: FastifyReply,
  { view, tableOf, name, format: asked }: TableAnswer<T>,
): string | undefined {
  const format = formatOf(request, asked);
  void reply
    .header('cache-control', 'no-cache')
    .header('vary', 'accept')
    .header('content-type', `${MEDIA_TYPES[format]}; charset=utf-8`);
  if (format === 'json') return unlessKnown(request, reply, JSON.stringify(view));
  const { extension, write } = TABLES[format];
  void reply.header('content-disposition', `inline; filename="${name}.${extension}"`);
  return unlessKnown(request, reply, write(tableOf(view)));
}

/**
 * Sets the entity tag of the body and returns it, or responds with 304 if the client already has it
 * (RFC 9110, 13.1.2).
 */
export function unlessKnown<Body extends string | Buffer>(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  body: Body,
  etag = etagOf(body),
): Body | undefined {
  void reply.header('etag', etag);
  const known = (headers['if-none-match'] ?? '').split(',').map((each) => each.trim());
  if (!known.some((each) => each === '*' || each.replace(/^W\//, '') === etag)) return body;
  void reply.status(HttpStatus.NOT_MODIFIED);
  return undefined;
}

function preferred(accept: string | undefined): TableFormat {
  const type = negotiate(accept ?? '*/*', Object.values(MEDIA_TYPES));
  return (Object.keys(MEDIA_TYPES) as TableFormat[]).find((format) => MEDIA_TYPES[format] === type) ?? 'json';
}
