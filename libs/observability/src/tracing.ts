import { within } from '@assay/kernel';
import { type Attributes, context, type Span, SpanStatusCode, trace } from '@opentelemetry/api';

/** Milliseconds that the process waits at shutdown for recorded spans to be exported. */
const FLUSH_DEADLINE = 3000;

export interface TracingOptions {
  /** The service name in traces, for example `assay-api`. */
  readonly service: string;
  /** The name of this instance, if the service has several. */
  readonly instance?: string;
  /**
   * The OTLP endpoint; undefined turns tracing off. Only its presence is used here, because the
   * exporter reads its address from the environment.
   */
  readonly endpoint: string | undefined;
  /**
   * The share of traces that are recorded, 0 to 1. A trace that began elsewhere keeps its decision.
   */
  readonly share: number;
}

/** The OpenTelemetry traces of this process, exported over OTLP/HTTP. */
export class Tracing {
  private constructor(private readonly flush: () => Promise<void>) {}

  /**
   * Starts to record spans. Without an endpoint the SDK is not loaded and spans cost next to
   * nothing.
   */
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
      // the exporter reads its address, headers and certificates from the environment
      spanProcessors: [new sdk.BatchSpanProcessor({ exporter: new OTLPTraceExporter(), scheduledDelayMillis: 1000 })],
    });
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    trace.setGlobalTracerProvider(provider);
    return new Tracing(() => provider.shutdown());
  }

  /**
   * Exports the remaining spans, for at most `FLUSH_DEADLINE`. Never throws, because nothing
   * depends on traces.
   */
  async onApplicationShutdown(): Promise<void> {
    await within(FLUSH_DEADLINE, this.flush()).catch(() => undefined);
  }
}

export const tracer = () => trace.getTracer('assay');

/**
 * Runs `work` in its own span. On failure the span records only the name of the error, because the
 * message may contain confidential data.
 */
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

/**
 * Records a span that began at `since` (milliseconds since 1970) and ends now, for example the time
 * in a queue.
 */
export function tracedSince(since: number, name: string, attributes: Attributes): void {
  tracer().startSpan(name, { attributes, startTime: since }).end();
}

/** Marks `span` as failed and records the name of the error, but not its message. */
function failSpan(span: Span, error: unknown): void {
  span.setAttribute('error.type', error instanceof Error ? error.name : 'unknown');
  span.setStatus({ code: SpanStatusCode.ERROR });
}
