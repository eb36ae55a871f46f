import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';

/** The part of OTLP/JSON that the tests read. */
const Export = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({
        attributes: z.array(
          z.object({ key: z.string(), value: z.looseObject({ stringValue: z.string().optional() }) }),
        ),
      }),
      scopeSpans: z.array(
        z.object({
          spans: z.array(
            z.object({
              traceId: z.string(),
              spanId: z.string(),
              parentSpanId: z.string().default(''),
              name: z.string(),
            }),
          ),
        }),
      ),
    }),
  ),
});

export interface CollectedSpan {
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for a root span. */
  readonly parentSpanId: string;
  readonly name: string;
}

/** Receives traces like an OpenTelemetry collector, by OTLP over HTTP on loopback. */
export class TraceCollector {
  readonly spans: CollectedSpan[] = [];
  /** All received bodies, unchanged. */
  received = '';

  private constructor(private readonly server: Server) {}

  static async start(): Promise<TraceCollector> {
    const server = createServer();
    const collector = new TraceCollector(server);
    server.on('request', (request, response) => {
      let text = '';
      request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      request.on('end', () => {
        if (request.method === 'POST' && request.url === '/v1/traces') collector.take(text);
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  trace(traceId: string): CollectedSpan[] {
    return this.spans.filter((span) => span.traceId === traceId);
  }

  /** Returns the root span of the request with this request id. */
  rootOf(method: string, request: string): CollectedSpan | undefined {
    const isOf = ({ name, traceId }: CollectedSpan): boolean =>
      name.startsWith(`${method} `) &&
      new RegExp(`"traceId":"${traceId}"[^}]*"name":"${method} [^\\]]*"stringValue":"${request}"`).test(this.received);
    return this.spans.find(isOf);
  }

  /** Returns the names of all spans in the trace of that request. */
  namesOf(method: string, request: string): string[] {
    const root = this.rootOf(method, request);
    return root ? this.trace(root.traceId).map(({ name }) => name) : [];
  }

  /** Returns the spans from `span` up to its root. Ends early if a parent was never received. */
  ancestry(span: CollectedSpan): CollectedSpan[] {
    const parent = this.spans.find(({ spanId, traceId }) => spanId === span.parentSpanId && traceId === span.traceId);
    return parent ? [span, ...this.ancestry(parent)] : [span];
  }

  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }

  private take(text: string): void {
    this.received += text;
    for (const { resource, scopeSpans } of Export.parse(JSON.parse(text)).resourceSpans) {
      const service = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? '';
      for (const { spans } of scopeSpans) this.spans.push(...spans.map((span) => ({ ...span, service })));
    }
  }
}
