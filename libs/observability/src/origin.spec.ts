import { Origin } from '@assay/contracts';
import { describe, expect, it } from '@jest/globals';
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { logFields, withLogFields } from './logger.js';
import { continued, currentOrigin } from './origin.js';
import { traced, tracedSince } from './tracing.js';

describe('an origin', () => {
  const exporter = new InMemorySpanExporter();
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }));

  it('is nothing where nobody asked', () => {
    expect(currentOrigin()).toBeNull();
  });

  it('carries the request and the span on to another process', async () => {
    const origin = await withLogFields({ request: 'request-1' }, () =>
      traced('upload', {}, () => Promise.resolve(currentOrigin())),
    );
    expect(Origin.parse(origin)).toEqual({ request: 'request-1', traceparent: expect.any(String) });

    const elsewhere = JSON.parse(JSON.stringify(origin)) as Origin;
    const fields = await continued(elsewhere, () => {
      tracedSince(Date.now() - 5000, 'queue', {});
      return traced('job', {}, () => Promise.resolve(logFields()));
    });

    expect(fields).toEqual({ request: 'request-1' });
    const [upload, queue, job] = exporter.getFinishedSpans();
    for (const span of [queue!, job!]) {
      expect(span.spanContext().traceId).toBe(upload!.spanContext().traceId);
      expect(span.parentSpanContext?.spanId).toBe(upload!.spanContext().spanId);
    }
    expect(queue!.duration[0]).toBeGreaterThanOrEqual(5);
  });

  it('leaves what one request is about out of the next', async () => {
    await withLogFields({ request: 'request-2' }, () =>
      traced('relay', {}, () => continued(null, () => expect(currentOrigin()?.traceparent).toBeUndefined())),
    );
    expect(currentOrigin()).toBeNull();
  });

  it('tells a failure by its kind, never by its words', async () => {
    await expect(traced('fails', {}, () => Promise.reject(new RangeError('a secret')))).rejects.toThrow('a secret');
    const span = exporter.getFinishedSpans().find(({ name }) => name === 'fails')!;
    expect(span.attributes).toEqual({ 'error.type': 'RangeError' });
    expect(JSON.stringify([span.status, span.events, span.attributes])).not.toContain('secret');
  });
});
