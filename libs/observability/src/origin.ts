import type { Origin } from '@assay/contracts';
import { context, isSpanContextValid, ROOT_CONTEXT, trace, type Context } from '@opentelemetry/api';
import { logFields, withLogFields } from './log-fields.js';

/** What the work under way was asked for by, to be carried on to whatever it asks for; null where nothing is known of that. */
export function currentOrigin(): Origin | null {
  const { request } = logFields();
  const traceparent = activeTraceparent();
  if (request === undefined && traceparent === undefined) return null;
  return { ...(request !== undefined && { request: String(request) }), ...(traceparent && { traceparent }) };
}

/** Runs `work` as a part of what `origin` asked for: its log lines name the request, and its spans belong to the trace. */
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
