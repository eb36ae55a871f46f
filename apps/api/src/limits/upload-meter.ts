import type { IncomingMessage } from 'node:http';
import { Metrics } from '@assay/observability';
import type { FastifyInstance } from 'fastify';
import { accessOf, FILE_KINDS } from '../access/access.js';
import { onResponseEnd } from '../observability/observed-requests.js';

const SENDS = new Set(['PUT', 'POST', 'PATCH']);
/** The status of an upload that found the disk full. */
const NO_ROOM = '507';

/** Measures uploads by all routes as they arrive. */
export function meterUploads(fastify: FastifyInstance, metrics: Metrics): void {
  const bytes = metrics.counter('assay_upload_bytes_total', 'Bytes of uploads that have arrived, by what they are', [
    'kind',
  ]);
  const seconds = metrics.seconds('assay_upload_duration_seconds', 'Time of a request that uploads, by its answer', [
    'kind',
    'status',
  ]);
  const underWay = metrics.gauge('assay_uploads_under_way', 'Requests that upload now, by what', ['kind']);

  // an alert watches the increase: a series that begins with its first occurrence shows none
  for (const kind of FILE_KINDS) seconds.zero({ kind, status: NO_ROOM });

  fastify.addHook('onRequest', (request, reply, done) => {
    const { stream: kind } = accessOf(request);
    if (kind !== undefined && SENDS.has(request.method)) {
      const begun = performance.now();
      underWay.inc({ kind });
      countBytes(request.raw, (count) => bytes.inc({ kind }, count));
      onResponseEnd(reply, (status) => {
        underWay.dec({ kind });
        seconds.observe({ kind, status: String(status) }, (performance.now() - begun) / 1000);
      });
    }
    done();
  });
}

/**
 * Reports the size of each chunk of a body to `onBytes`. Counts where the parser passes the chunks
 * on, because a listener would make the body flow before its reader is there.
 */
export function countBytes(body: IncomingMessage, onBytes: (count: number) => void): void {
  const push = body.push.bind(body);
  body.push = (chunk: Buffer | null, encoding?: BufferEncoding) => {
    if (chunk) onBytes(chunk.length);
    return push(chunk, encoding);
  };
}
