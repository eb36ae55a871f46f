import { Environment } from '@assay/contracts';
import { configuredCeilings } from '@assay/tasks';
import { z } from 'zod';

/** The environment variables of every evaluator, with or without the database. */
export const HostEnvironment = Environment.omit({ DATABASE_URL: true }).extend({
  /** Number of concurrent runs. They take turns for timed passes. */
  ASSAY_RUN_CONCURRENCY: z.coerce.number().int().min(1).max(32).default(1),
  /** The number of consecutive remeasurements of costs measured under contention; 0: none. */
  ASSAY_MEASURE_AGAIN: z.coerce.number().int().min(0).max(20).default(3),
  /**
   * Seconds that a repeated measurement waits for a quiet host. After that it is taken anyway, and
   * marked as contended.
   */
  ASSAY_QUIET_SECONDS: z.coerce.number().min(0).default(600),
  /** Port for the Prometheus metrics and health checks of this evaluator. Default: none. */
  ASSAY_METRICS_PORT: z.coerce.number().int().min(1).max(65_535).optional(),
  /** Seconds that each call to the container engine may take; default: depends on the operation. */
  ASSAY_ENGINE_SECONDS: z.coerce.number().positive().optional(),
});
export type HostEnvironment = z.infer<typeof HostEnvironment>;

/** The settings of every evaluator, with or without the database. */
export abstract class HostSettings<E extends HostEnvironment> {
  readonly dockerHost = this.environment.DOCKER_HOST;
  readonly engineSeconds = this.environment.ASSAY_ENGINE_SECONDS;
  readonly tracing = {
    endpoint: this.environment.OTEL_EXPORTER_OTLP_ENDPOINT,
    share: this.environment.OTEL_TRACES_SAMPLER_ARG,
  };
  readonly metrics = {
    host: this.environment.ASSAY_METRICS_HOST,
    port: this.environment.ASSAY_METRICS_PORT,
    token: this.environment.ASSAY_METRICS_TOKEN,
  };
  readonly logLevel = this.environment.LOG_LEVEL;
  /** The operator's ceilings for the limits of tasks on this host. */
  readonly ceilings = configuredCeilings(this.environment);
  readonly runConcurrency = this.environment.ASSAY_RUN_CONCURRENCY;
  readonly measuring = {
    retakes: this.environment.ASSAY_MEASURE_AGAIN,
    patienceSeconds: this.environment.ASSAY_QUIET_SECONDS,
  };

  constructor(protected readonly environment: E) {}
}
