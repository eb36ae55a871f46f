import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { BoardBody } from './board-body.js';

/** In order of preference. */
export const CONTENT_ENCODINGS = ['br', 'gzip', 'identity'] as const;
export type ContentEncoding = (typeof CONTENT_ENCODINGS)[number];

/**
 * Compresses the matrix of 10,000 models in about 50 ms. Higher qualities take ten times as long
 * for what they gain.
 */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

const encodedBodies = new WeakMap<BoardBody, Map<ContentEncoding, Promise<BoardBody>>>();

/**
 * Returns the body in an encoding. Its entity tag differs, as other bytes require (RFC 9110,
 * section 8.8.3.3). Cached while the body is in memory.
 */
export function encodedBody(body: BoardBody, encoding: ContentEncoding): Promise<BoardBody> {
  if (encoding === 'identity') return Promise.resolve(body);
  const known = encodedBodies.get(body) ?? new Map<ContentEncoding, Promise<BoardBody>>();
  encodedBodies.set(body, known);
  const encoded = known.get(encoding) ?? compressed(body, encoding);
  known.set(encoding, encoded);
  return encoded;
}

async function compressed({ bytes, etag }: BoardBody, encoding: ContentEncoding): Promise<BoardBody> {
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
