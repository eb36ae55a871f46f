import { type Attributes, context, type Span, SpanStatusCode, trace } from '@opentelemetry/api';

/** Milliseconds for what was recorded to leave when the process ends. */
const FLUSH_DEADLINE = 3000;

export interface TracingOptions {
  /** As traces name the process: `assay-api`. */
  readonly service: string;
  /** Which one of several. */
  readonly instance?: string;
  /** Where traces go; undefined: none are taken. */
  readonly endpoint: string | undefined;
  /** The share of traces that are taken, 0 to 1. */
  readonly share: number;
}

/** The traces of this process, in the form and over the protocol of OpenTelemetry. */
export class Tracing {
  private constructor(private readonly flush: () => Promise<void>) {}

  /** Has spans recorded from now on. Where there is no endpoint none of the SDK is even loaded, and spans cost next to nothing. */
  static async start({ service, instance, endpoint, share }: TracingOptions): Promise<Tracing> {
    if (endpoint === undefined) return new Tracing(() => Promise.resolve());

    const [sdk, { AsyncLocalStorageContextManager }, { OTLPTraceExporter }, resources] = await Promise.all([
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/context-async-hooks'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
    ]);
    const attributes = { 'service.name': service, ...(instance && { 'service.instance.id': instance }) };
    const provider = new sdk.TracerProvider({
      resource: resources.defaultResource().merge(resources.resourceFromAttributes(attributes)),
      sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(share) }),
      // the exporter reads its address, headers and certificates from the environment by itself
      spanProcessors: [new sdk.BatchSpanProcessor({ exporter: new OTLPTraceExporter(), scheduledDelayMillis: 1000 })],
    });
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    trace.setGlobalTracerProvider(provider);
    return new Tracing(() => provider.shutdown());
  }

  /** Sends what is left, for a while. Never throws: nobody waits for traces. */
  async onApplicationShutdown(): Promise<void> {
    const patience = new Promise<void>((resolve) => setTimeout(resolve, FLUSH_DEADLINE).unref());
    await Promise.race([this.flush().catch(() => undefined), patience]);
  }
}

export const tracer = () => trace.getTracer('assay');

/** Does `work` in a span of its own. A failure is told by the kind of the error alone: its message may hold what is nobody's business. */
export function traced<T>(name: string, attributes: Attributes, work: (span: Span) => Promise<T> | T): Promise<T> {
  return tracer().startActiveSpan(name, { attributes }, async (span) => {
    try {
      return await work(span);
    } catch (error) {
      failSpan(span, error);
      throw error;
    } finally {
      span.end();
    }
  });
}

/** A span of what began at `since` (milliseconds since 1970) and has ended now: a time of waiting. */
export function tracedSince(since: number, name: string, attributes: Attributes): void {
  tracer().startSpan(name, { attributes, startTime: since }).end();
}

/** Marks a span as failed. */
export function failSpan(span: Span, error: unknown): void {
  span.setAttribute('error.type', error instanceof Error ? error.name : 'unknown');
  span.setStatus({ code: SpanStatusCode.ERROR });
}
