import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { readEnvironment } from '@assay/contracts';
import { processesOf } from '@assay/persistence';
import { configuredCeilings } from '@assay/tasks';
import { z } from 'zod';
import type { DeploymentSettings } from '../serving/deployment-host.js';

const OwnEnvironment = z.object({
  /**
   * Name of this evaluator, unique among those that share a database or an engine. It must stay the
   * same after a restart.
   */
  ASSAY_EVALUATOR: z
    .string()
    .regex(/^[\w.-]{1,60}$/)
    .optional(),
  /** Number of concurrent runs. They take turns for timed passes. */
  ASSAY_RUN_CONCURRENCY: z.coerce.number().int().min(1).max(32).default(1),
  /** The number of consecutive remeasurements of costs measured under contention; 0: none. */
  ASSAY_MEASURE_AGAIN: z.coerce.number().int().min(0).max(20).default(3),
  /**
   * Seconds that a repeated measurement waits for a quiet host. After that it is taken anyway, and
   * marked as contended.
   */
  ASSAY_QUIET_SECONDS: z.coerce.number().min(0).default(600),
  /** Target models that this evaluator serves concurrently. */
  ASSAY_PLACEMENTS: z.coerce.number().int().min(0).max(256).default(8),
  /**
   * Host and port on which the API reaches the target models of this evaluator. Port 0 selects any
   * free port.
   */
  ASSAY_PLACEMENT_HOST: z.string().min(1).default('127.0.0.1'),
  ASSAY_PLACEMENT_PORT: z.coerce.number().int().min(0).max(65_535).default(0),
  /**
   * Seconds that a prediction waits for the end of a measurement; after that the reply is `busy`.
   */
  ASSAY_PLACEMENT_HOLD_SECONDS: z.coerce.number().min(0).max(60).default(5),
  /** Port for the Prometheus metrics and health checks of this evaluator. Default: none. */
  ASSAY_METRICS_PORT: z.coerce.number().int().min(1).max(65_535).optional(),
  /** Seconds that each call to the container engine may take; default: depends on the operation. */
  ASSAY_ENGINE_SECONDS: z.coerce.number().positive().optional(),
  /** Limit of the median response time, in seconds; a slower target model leaves the loop. */
  ASSAY_PLACEMENT_SLOW_SECONDS: z.coerce.number().positive().default(10),
  /**
   * Seconds without a request after which a target model gives way to a run of its owner on hidden
   * data.
   */
  ASSAY_PLACEMENT_IDLE_SECONDS: z.coerce.number().min(0).default(120),
  /** Seconds after which a target model gives way to such a run although people ask it. */
  ASSAY_PLACEMENT_TURN_SECONDS: z.coerce.number().min(0).default(600),
});

/** The environment of an evaluator, read once. */
export class EvaluatorSettings {
  private readonly common = readEnvironment(process.env);
  private readonly own = OwnEnvironment.parse(process.env);

  readonly databaseUrl = this.common.DATABASE_URL;
  readonly redisUrl = this.common.REDIS_URL;
  readonly databaseConnections = this.common.ASSAY_DB_CONNECTIONS;
  /** The number of processes that share the database connections. */
  readonly processes = processesOf(this.common);
  readonly dockerHost = this.common.DOCKER_HOST;
  readonly engineSeconds = this.own.ASSAY_ENGINE_SECONDS;
  readonly tracing = { endpoint: this.common.OTEL_EXPORTER_OTLP_ENDPOINT, share: this.common.OTEL_TRACES_SAMPLER_ARG };
  readonly metrics = {
    host: this.common.ASSAY_METRICS_HOST,
    port: this.own.ASSAY_METRICS_PORT,
    token: this.common.ASSAY_METRICS_TOKEN,
  };
  readonly logLevel = this.common.LOG_LEVEL;
  readonly home = this.common.ASSAY_HOME;
  /** The operator's ceilings for the limits of tasks on this host. */
  readonly ceilings = configuredCeilings(this.common);
  /** Bytes that a user may store; the same setting as that of the API. */
  readonly userStorage = this.common.ASSAY_USER_STORAGE;
  readonly runConcurrency = this.own.ASSAY_RUN_CONCURRENCY;
  readonly measuring = { retakes: this.own.ASSAY_MEASURE_AGAIN, patienceSeconds: this.own.ASSAY_QUIET_SECONDS };
  readonly leaseSeconds = this.common.ASSAY_LEASE_SECONDS;
  readonly deployments: DeploymentSettings = {
    most: this.own.ASSAY_PLACEMENTS,
    host: this.own.ASSAY_PLACEMENT_HOST,
    port: this.own.ASSAY_PLACEMENT_PORT,
    holdSeconds: this.own.ASSAY_PLACEMENT_HOLD_SECONDS,
    slowSeconds: this.own.ASSAY_PLACEMENT_SLOW_SECONDS,
    idleSeconds: this.own.ASSAY_PLACEMENT_IDLE_SECONDS,
    turnSeconds: this.own.ASSAY_PLACEMENT_TURN_SECONDS,
  };
  /** The parent of the work folders of all evaluators of this home. */
  readonly workFolders = join(this.home, 'work');
  /** Temporary files of runs. Emptied when the evaluator starts. */
  readonly workFolder: string;
  readonly instance = this.own.ASSAY_EVALUATOR ?? `${hostname()}-${shortHash(this.home)}`;

  constructor() {
    // one folder per evaluator, because several evaluators may share a home
    this.workFolder = join(this.workFolders, this.instance);
  }
}

const shortHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8);
