import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { Environment } from '@assay/contracts';
import { configuredCeilings } from '@assay/tasks/limits';
import { z } from 'zod';
import type { DeploymentSettings } from '../serving/deployment-host.js';

const URL_MISSING = 'Set ASSAY_URL to the address of the service, such as https://assay.example.org.';

/** The environment variables of an evaluator. */
export const EvaluatorEnvironment = Environment.pick({
  ASSAY_HOME: true,
  DOCKER_HOST: true,
  ASSAY_MAX_MEMORY: true,
  ASSAY_MAX_CPUS: true,
  ASSAY_MAX_PIDS: true,
  ASSAY_MAX_START_SECONDS: true,
  ASSAY_MAX_REQUEST_SECONDS: true,
  ASSAY_MAX_EVALUATION_SECONDS: true,
  ASSAY_MAX_ARTIFACT: true,
  ASSAY_MAX_UNPACKED: true,
  ASSAY_METRICS_HOST: true,
  ASSAY_METRICS_TOKEN: true,
  OTEL_EXPORTER_OTLP_ENDPOINT: true,
  OTEL_TRACES_SAMPLER_ARG: true,
  LOG_LEVEL: true,
}).extend({
  /** Address of the service. */
  ASSAY_URL: z
    .url({ protocol: /^https?$/, error: URL_MISSING })
    .refine((url) => !/[?#@]/.test(url), 'must have no user, query or fragment'),
  /** Token of the evaluator, which its registration printed. */
  ASSAY_EVALUATOR_TOKEN: z.string().regex(/^[\x21-\x7e]+$/, 'must be the token that the registration printed'),
  /** Folder for temporary files and cached artifacts. Default: ASSAY_HOME. */
  ASSAY_EVALUATOR_HOME: z
    .string()
    .min(1)
    .transform((path) => resolve(path))
    .optional(),
  /**
   * Evaluators of one host with the same scope do not disturb each other: they take turns with measurements and
   * runs on hidden data. Default: the ID of the Docker engine.
   */
  ASSAY_LOCK_SCOPE: z.string().min(1).max(200).optional(),
  /** Number of cores that concurrent runs take together. Default: all cores of the host. */
  ASSAY_RUN_CONCURRENCY: z.coerce.number().int().min(1).max(1024).default(availableParallelism()),
  /** The number of consecutive remeasurements of costs measured under contention; 0: none. */
  ASSAY_MEASURE_AGAIN: z.coerce.number().int().min(0).max(20).default(3),
  /**
   * Seconds that a repeated measurement waits for a quiet host. After that it is taken anyway, and
   * marked as contended.
   */
  ASSAY_QUIET_SECONDS: z.coerce.number().min(0).default(1800),
  /** Target models that this evaluator serves concurrently; 0: it serves none. */
  ASSAY_PLACEMENTS: z.coerce.number().int().min(0).max(256).default(8),
  /** Limit of the median response time, in seconds; a slower target model leaves the loop. */
  ASSAY_PLACEMENT_SLOW_SECONDS: z.coerce.number().positive().default(10),
  /**
   * Seconds without a request after which a target model gives way to a run of its owner on hidden
   * data.
   */
  ASSAY_PLACEMENT_IDLE_SECONDS: z.coerce.number().min(0).default(120),
  /** Seconds after which a target model gives way to such a run although people ask it. */
  ASSAY_PLACEMENT_TURN_SECONDS: z.coerce.number().min(0).default(600),
  /** Port for the Prometheus metrics and health checks of this evaluator. Default: none. */
  ASSAY_METRICS_PORT: z.coerce.number().int().min(1).max(65_535).optional(),
  /** Seconds that each call to the container engine may take; default: depends on the operation. */
  ASSAY_ENGINE_SECONDS: z.coerce.number().positive().optional(),
});

/** The environment of an evaluator, read once. */
export class EvaluatorSettings {
  private readonly environment = parsed(this.source);
  readonly url = this.environment.ASSAY_URL;
  readonly token = this.environment.ASSAY_EVALUATOR_TOKEN;
  readonly home = this.environment.ASSAY_EVALUATOR_HOME ?? this.environment.ASSAY_HOME;
  readonly dockerHost = this.environment.DOCKER_HOST;
  readonly engineSeconds = this.environment.ASSAY_ENGINE_SECONDS;
  /** The scope of the locks of the host. Absent: the engine. */
  readonly lockScope = this.environment.ASSAY_LOCK_SCOPE;
  /** Cores. */
  readonly runConcurrency = this.environment.ASSAY_RUN_CONCURRENCY;
  readonly measuring = {
    retakes: this.environment.ASSAY_MEASURE_AGAIN,
    patienceSeconds: this.environment.ASSAY_QUIET_SECONDS,
  };
  readonly deployments: DeploymentSettings = {
    most: this.environment.ASSAY_PLACEMENTS,
    slowSeconds: this.environment.ASSAY_PLACEMENT_SLOW_SECONDS,
    idleSeconds: this.environment.ASSAY_PLACEMENT_IDLE_SECONDS,
    turnSeconds: this.environment.ASSAY_PLACEMENT_TURN_SECONDS,
  };
  /** The operator's ceilings for the limits of tasks on this host. */
  readonly ceilings = configuredCeilings(this.environment);
  readonly metrics = {
    host: this.environment.ASSAY_METRICS_HOST,
    port: this.environment.ASSAY_METRICS_PORT,
    token: this.environment.ASSAY_METRICS_TOKEN,
  };
  readonly tracing = {
    endpoint: this.environment.OTEL_EXPORTER_OTLP_ENDPOINT,
    share: this.environment.OTEL_TRACES_SAMPLER_ARG,
  };
  readonly logLevel = this.environment.LOG_LEVEL;

  /** @throws Error with a line for each invalid variable */
  constructor(private readonly source: Readonly<Record<string, string | undefined>> = process.env) {}
}

function parsed(source: Readonly<Record<string, string | undefined>>): z.infer<typeof EvaluatorEnvironment> {
  const { data, error } = EvaluatorEnvironment.safeParse(source);
  if (!data) throw new Error(z.prettifyError(error));
  return data;
}
