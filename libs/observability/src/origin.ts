import type { Origin } from '@assay/contracts';
import { context, isSpanContextValid, ROOT_CONTEXT, trace, type Context } from '@opentelemetry/api';
import { logFields, withLogFields } from './logger.js';

/**
 * Returns the request ID and the trace context of the current work, to be passed on to the work
 * that it enqueues. Null if neither is known.
 */
export function currentOrigin(): Origin | null {
  const { request } = logFields();
  const traceparent = activeTraceparent();
  if (request === undefined && traceparent === undefined) return null;
  return { ...(request !== undefined && { request: String(request) }), ...(traceparent && { traceparent }) };
}

/**
 * Runs `work` as a continuation of `origin`: its log lines carry the request ID, and its spans
 * belong to the trace.
 */
export function continued<T>(origin: Origin | null | undefined, work: () => T): T {
  const fields = origin?.request === undefined ? {} : { request: origin.request };
  return withLogFields(fields, () => context.with(contextOf(origin), work));
}

function activeTraceparent(): string | undefined {
  const span = trace.getActiveSpan()?.spanContext();
  if (!span || !isSpanContextValid(span)) return undefined;
  return `00-${span.traceId}-${span.spanId}-${span.traceFlags.toString(16).padStart(2, '0')}`;
}

function contextOf(origin: Origin | null | undefined): Context {
  if (!origin?.traceparent) return ROOT_CONTEXT;
  const [, traceId = '', spanId = '', flags = '0'] = origin.traceparent.split('-');
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16),
    isRemote: true,
  });
}
