import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

type Name = `assay_${string}`;

/** Bucket limits in seconds, from a cached read to a slow upload. */
const REQUEST_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60];
/** Bucket limits in seconds, from the start of a small container to a run of several hours. */
const WORK_BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600, 14_400];

/**
 * The metrics of one process, in the Prometheus text format. Labels have few distinct values:
 * routes, not paths.
 */
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

  /**
   * Records one HTTP request.
   *
   * @param route the pattern (`/api/v1/models/:id`), never the path
   * @param seconds time until the last byte was sent
   */
  countRequest(method: string, route: string, status: number, seconds: number): void {
    this.requests.observe({ method, route, status: String(status) }, seconds);
  }

  /** Registers a counter, which only increases. */
  counter<L extends string>(name: `${Name}_total`, help: string, labelNames: readonly L[]): Counter<L> {
    return new Counter({ name, help, labelNames: [...labelNames], registers: [this.registry] });
  }

  /**
   * Registers a histogram of durations in seconds, with the buckets `WORK_BUCKETS` (up to hours).
   */
  seconds<L extends string>(name: `${Name}_seconds`, help: string, labelNames: readonly L[]): Histogram<L> {
    const buckets = WORK_BUCKETS;
    return new Histogram({ name, help, labelNames: [...labelNames], buckets, registers: [this.registry] });
  }

  /** Registers a gauge, which can increase and decrease. */
  gauge<L extends string>(name: Name, help: string, labelNames: readonly L[]): Gauge<L> {
    return new Gauge({ name, help, labelNames: [...labelNames], registers: [this.registry] });
  }

  /**
   * Registers a gauge named `assay_…`. `read` sets its values each time the metrics are collected.
   */
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

  /** Returns the response to `GET /metrics`. */
  async expose(): Promise<{ readonly contentType: string; readonly body: string }> {
    return { contentType: this.registry.contentType, body: await this.registry.metrics() };
  }
}
