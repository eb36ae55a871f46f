import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

type Name = `assay_${string}`;

/** Seconds; from a cached read to a slow upload. */
const REQUEST_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60];
/** Seconds; from the start of a small container to a run of hours. */
export const WORK_BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600, 14_400];

/** The metrics of one process, in the Prometheus text format. Labels are of few values: routes, not paths. */
export class Metrics {
  readonly registry = new Registry();

  private readonly requests = new Histogram({
    name: 'assay_http_request_duration_seconds',
    help: 'Time to answer an HTTP request',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: REQUEST_BUCKETS,
    registers: [this.registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry, prefix: 'assay_' });
  }

  /** `route` is the pattern (`/api/v1/models/:id`), never the path; `seconds` until the last byte was sent. */
  countRequest(method: string, route: string, status: number, seconds: number): void {
    this.requests.observe({ method, route, status: String(status) }, seconds);
  }

  /** Adds what only grows. */
  counter<L extends string>(name: `${Name}_total`, help: string, labelNames: readonly L[]): Counter<L> {
    return new Counter({ name, help, labelNames: [...labelNames], registers: [this.registry] });
  }

  /** Adds durations, of seconds to hours. */
  seconds<L extends string>(name: `${Name}_seconds`, help: string, labelNames: readonly L[]): Histogram<L> {
    const buckets = WORK_BUCKETS;
    return new Histogram({ name, help, labelNames: [...labelNames], buckets, registers: [this.registry] });
  }

  /** Adds what goes up and down. */
  gauge<L extends string>(name: Name, help: string, labelNames: readonly L[]): Gauge<L> {
    return new Gauge({ name, help, labelNames: [...labelNames], registers: [this.registry] });
  }

  /** Adds a gauge named `assay_…` that `read` fills whenever the metrics are read. */
  watch<L extends string>(
    name: Name,
    help: string,
    labelNames: readonly L[],
    read: (gauge: Gauge<L>) => void | Promise<void>,
  ): void {
    const gauge: Gauge<L> = new Gauge({
      name,
      help,
      labelNames: [...labelNames],
      registers: [],
      collect: () => read(gauge),
    });
    this.registry.registerMetric(gauge);
  }

  /** The answer to `GET /metrics`. */
  async expose(): Promise<{ readonly contentType: string; readonly body: string }> {
    return { contentType: this.registry.contentType, body: await this.registry.metrics() };
  }
}
