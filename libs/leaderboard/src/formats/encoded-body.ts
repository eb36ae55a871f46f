import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { remembered } from '@assay/kernel';

/** The bytes of a response, with their entity tag. */
export interface ResponseBody {
  readonly bytes: Buffer;
  /** The value of the ETag header, with quotes. */
  readonly etag: string;
}

/** In order of preference. */
export const CONTENT_ENCODINGS = ['br', 'gzip', 'identity'] as const;
export type ContentEncoding = (typeof CONTENT_ENCODINGS)[number];

/**
 * Compresses the matrix of 10,000 models in about 50 ms. Higher qualities take ten times as long
 * for what they gain.
 */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

/** Returns a value as JSON. */
export const jsonBody = (value: object): ResponseBody => bodyOf(Buffer.from(JSON.stringify(value)));

export const bodyOf = (bytes: Buffer): ResponseBody => ({ bytes, etag: etagOf(bytes) });

/** Returns a strong entity tag of the bytes. */
export const etagOf = (bytes: string | Uint8Array): string =>
  `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`;

const encodedBodies = new WeakMap<ResponseBody, Map<ContentEncoding, Promise<ResponseBody>>>();

/**
 * Returns the body in an encoding. Its entity tag differs, as other bytes require (RFC 9110,
 * section 8.8.3.3). Cached while the body is in memory.
 */
export function encodedBody(body: ResponseBody, encoding: ContentEncoding): Promise<ResponseBody> {
  if (encoding === 'identity') return Promise.resolve(body);
  const known = remembered(encodedBodies, body, () => new Map<ContentEncoding, Promise<ResponseBody>>());
  return remembered(known, encoding, () => compressed(body, encoding));
}

async function compressed({ bytes, etag }: ResponseBody, encoding: ContentEncoding): Promise<ResponseBody> {
  return { bytes: await encodedBytes(bytes, encoding), etag: etag.replace(/"$/, `-${encoding}"`) };
}

export async function encodedBytes(bytes: Uint8Array, encoding: ContentEncoding): Promise<Buffer> {
  switch (encoding) {
    case 'br':
      return promisify(brotliCompress)(bytes, BROTLI);
    case 'gzip':
      return promisify(gzip)(bytes);
    case 'identity':
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }
}
