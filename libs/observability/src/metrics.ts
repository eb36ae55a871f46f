import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

export interface QueueDepthReading {
  readonly waiting: number;
  readonly active: number;
}

/** Seconds; from a cached read to a slow upload. */
const REQUEST_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60];
/** Seconds; from a run that reuses everything to one at its limit. */
const RUN_BUCKETS = [1, 5, 15, 60, 300, 900, 3600, 4 * 3600];

/** The metrics of one process, in the Prometheus text format. Labels are of few values: routes, not paths. */
export class Metrics {
  readonly registry = new Registry();

  private readonly requests = this.add(
    new Histogram({
      name: 'assay_http_request_duration_seconds',
      help: 'Time to answer an HTTP request',
      labelNames: ['method', 'route', 'status'] as const,
      buckets: REQUEST_BUCKETS,
      registers: [],
    }),
  );
  private readonly runs = this.add(
    new Counter({
      name: 'assay_runs_total',
      help: 'Runs that ended, by how they ended and by the code of the failure',
      labelNames: ['outcome', 'code'] as const,
      registers: [],
    }),
  );
  private readonly runDuration = this.add(
    new Histogram({
      name: 'assay_run_duration_seconds',
      help: 'Time from the claim of a run to its end',
      labelNames: ['outcome'] as const,
      buckets: RUN_BUCKETS,
      registers: [],
    }),
  );
  private readonly predictions = this.add(
    new Counter({ name: 'assay_predictions_total', help: 'Predictions that models gave', registers: [] }),
  );
  private readonly outbox = this.add(
    new Counter({
      name: 'assay_outbox_events_total',
      help: 'Events of the outbox, by type and by whether they were delivered',
      labelNames: ['type', 'outcome'] as const,
      registers: [],
    }),
  );

  constructor() {
    collectDefaultMetrics({ register: this.registry, prefix: 'assay_' });
  }

  /** `route` is the pattern (`/api/v1/models/:id`), never the path; `seconds` until the last byte was sent. */
  countRequest(method: string, route: string, status: number, seconds: number): void {
    this.requests.observe({ method, route, status: String(status) }, seconds);
  }

  /** @param code the failure's code, for outcome `failed` */
  countRun(outcome: 'done' | 'failed' | 'cancelled' | 'lost', seconds: number, code = ''): void {
    this.runs.inc({ outcome, code });
    this.runDuration.observe({ outcome }, seconds);
  }

  countPredictions(count: number): void {
    this.predictions.inc(count);
  }

  countOutboxEvent(type: string, outcome: 'delivered' | 'failed'): void {
    this.outbox.inc({ type, outcome });
  }

  /** Reads the depth of queues whenever the metrics are read; a queue that does not answer is left out. */
  watchQueues(queues: readonly string[], depth: (queue: string) => Promise<QueueDepthReading>): void {
    this.watch('assay_queue_jobs', 'Jobs in a queue, by state', ['queue', 'state'], async (gauge) => {
      gauge.reset();
      await Promise.all(
        queues.map(async (queue) => {
          const reading = await depth(queue).catch(() => null);
          if (!reading) return;
          gauge.set({ queue, state: 'waiting' }, reading.waiting);
          gauge.set({ queue, state: 'active' }, reading.active);
        }),
      );
    });
  }

  /** Adds a gauge named `assay_…` that `read` fills whenever the metrics are read. */
  watch<L extends string>(
    name: `assay_${string}`,
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

  private add<M extends Counter | Histogram>(metric: M): M {
    this.registry.registerMetric(metric);
    return metric;
  }
}
