import { createReadStream } from 'node:fs';
import { HttpStatus, StreamableFile } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

const READ_BYTES = 1024 * 1024;

export const JSON_LINES = 'application/x-ndjson';

/** Sends the bytes of an artifact, from the position that the request names. */
export function sendArtifact(
  path: string,
  size: number,
  { headers }: FastifyRequest,
  reply: FastifyReply,
): StreamableFile {
  const start = Math.min(startOf(headers.range), size);
  if (start > 0) {
    void reply.status(HttpStatus.PARTIAL_CONTENT).header('Content-Range', `bytes ${start}-${size - 1}/${size}`);
  }
  return new StreamableFile(createReadStream(path, { start, highWaterMark: READ_BYTES }), {
    type: 'application/octet-stream',
    length: size - start,
  });
}

/** Returns the first byte of `Range: bytes=N-`. 0 without the header, or if it asks for another kind of range. */
const startOf = (range: string | undefined): number => Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0);

/** Returns a signal that aborts when the client closes the connection, or has the response. */
export function abortedWhenClosed({ raw }: FastifyReply): AbortSignal {
  const closed = new AbortController();
  // the connection may have closed while the request was authenticated
  if (raw.closed) closed.abort();
  raw.once('close', () => closed.abort());
  return closed.signal;
}
