import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { readEnvironment } from '@assay/contracts';
import { configuredCeilings } from '@assay/tasks';
import { z } from 'zod';
import type { PlacementSettings } from '../placements/placement-host.js';

const OwnEnvironment = z.object({
  /** Names this evaluator among those that share a database or an engine; a restarted one needs the same name. */
  ASSAY_EVALUATOR: z
    .string()
    .regex(/^[\w.-]{1,60}$/)
    .optional(),
  /** Runs at the same time. They take turns at what is timed. */
  ASSAY_RUN_CONCURRENCY: z.coerce.number().int().min(1).max(32).default(1),
  /** How often in a row costs that were taken under contention are taken again; 0: never. */
  ASSAY_MEASURE_AGAIN: z.coerce.number().int().min(0).max(20).default(3),
  /** Seconds for which a repeated measurement waits for a quiet host; then it is taken as it is, and marked. */
  ASSAY_QUIET_SECONDS: z.coerce.number().min(0).default(600),
  /** Seconds until a lease that nobody renews may be taken by others. */
  ASSAY_LEASE_SECONDS: z.coerce.number().positive().default(60),
  /** Models in the loop that this evaluator serves at the same time. */
  ASSAY_PLACEMENTS: z.coerce.number().int().min(0).max(256).default(8),
  /** Of each model in the loop, on different evaluators; the same for all of them. */
  ASSAY_PLACEMENT_COPIES: z.coerce.number().int().min(1).max(8).default(1),
  /** Where the API reaches the models that are served here: address and port to listen on, 0 for any. */
  ASSAY_PLACEMENT_HOST: z.string().min(1).default('127.0.0.1'),
  ASSAY_PLACEMENT_PORT: z.coerce.number().int().min(0).max(65_535).default(0),
  /** Seconds that an answer waits for the end of a measurement; then whoever asked is told so. */
  ASSAY_PLACEMENT_HOLD_SECONDS: z.coerce.number().min(0).max(60).default(5),
  /** Where Prometheus reads the metrics of this evaluator, and its health is asked for; without a port nothing listens. */
  ASSAY_METRICS_HOST: z.string().min(1).default('127.0.0.1'),
  ASSAY_METRICS_PORT: z.coerce.number().int().min(1).max(65_535).optional(),
  /** Seconds that each call to the container engine may take; default: by what is asked of it. */
  ASSAY_ENGINE_SECONDS: z.coerce.number().positive().optional(),
  /** Seconds for which a file on the disk stays that nobody seems to need: a blob without a row, an arrival that ended half-way. */
  ASSAY_ORPHAN_SECONDS: z.coerce
    .number()
    .min(1)
    .default(24 * 3600),
  /** Seconds that the median answer may take; a slower model leaves the loop. */
  ASSAY_PLACEMENT_SLOW_SECONDS: z.coerce.number().positive().default(10),
  /** Seconds without a request after which a live model gives way to a run of its owner on hidden data. */
  ASSAY_PLACEMENT_IDLE_SECONDS: z.coerce.number().min(0).default(120),
});

/** The environment of an evaluator, read once. */
export class EvaluatorSettings {
  private readonly common = readEnvironment(process.env);
  private readonly own = OwnEnvironment.parse(process.env);

  readonly databaseUrl = this.common.DATABASE_URL;
  readonly redisUrl = this.common.REDIS_URL;
  readonly databaseConnections = this.common.ASSAY_DB_CONNECTIONS;
  /** How many processes share the connections. */
  readonly processes = { api: this.common.ASSAY_API_PROCESSES, evaluator: this.common.ASSAY_EVALUATOR_PROCESSES };
  readonly dockerHost = this.common.DOCKER_HOST;
  readonly engineSeconds = this.own.ASSAY_ENGINE_SECONDS;
  readonly tracing = { endpoint: this.common.OTEL_EXPORTER_OTLP_ENDPOINT, share: this.common.OTEL_TRACES_SAMPLER_ARG };
  readonly metrics = {
    host: this.own.ASSAY_METRICS_HOST,
    port: this.own.ASSAY_METRICS_PORT,
    token: this.common.ASSAY_METRICS_TOKEN,
  };
  readonly logLevel = this.common.LOG_LEVEL;
  /** Null: no mail is sent. */
  readonly mail = this.common.SMTP_URL
    ? {
        url: this.common.SMTP_URL,
        from: this.common.MAIL_FROM,
        publicUrl: (this.common.PUBLIC_URL ?? `http://localhost:${this.common.PORT}`).replace(/\/$/, ''),
      }
    : null;
  readonly webhooks = {
    allowedNetworks: this.common.ASSAY_WEBHOOK_ALLOWED_NETWORKS,
    ports: this.common.ASSAY_WEBHOOK_PORTS,
    http: this.common.ASSAY_WEBHOOK_HTTP,
  };
  readonly home = this.common.ASSAY_HOME;
  /** The operator's ceilings for the limits of tasks, on this host. */
  readonly ceilings = configuredCeilings(this.common);
  /** Bytes that a user may store; the same as the API has. */
  readonly userStorage = this.common.ASSAY_USER_STORAGE;
  readonly runConcurrency = this.own.ASSAY_RUN_CONCURRENCY;
  readonly measuring = { retakes: this.own.ASSAY_MEASURE_AGAIN, patienceSeconds: this.own.ASSAY_QUIET_SECONDS };
  readonly leaseSeconds = this.own.ASSAY_LEASE_SECONDS;
  readonly placements: PlacementSettings = {
    most: this.own.ASSAY_PLACEMENTS,
    copies: this.own.ASSAY_PLACEMENT_COPIES,
    host: this.own.ASSAY_PLACEMENT_HOST,
    port: this.own.ASSAY_PLACEMENT_PORT,
    holdSeconds: this.own.ASSAY_PLACEMENT_HOLD_SECONDS,
    slowSeconds: this.own.ASSAY_PLACEMENT_SLOW_SECONDS,
    idleSeconds: this.own.ASSAY_PLACEMENT_IDLE_SECONDS,
  };
  readonly orphanSeconds = this.own.ASSAY_ORPHAN_SECONDS;
  /** Of all evaluators of this home. */
  readonly workFolders = join(this.home, 'work');
  /** Files that a run needs while it runs, and nothing else; it is emptied at the start. */
  readonly workFolder: string;
  readonly instance = this.own.ASSAY_EVALUATOR ?? `${hostname()}-${shortHash(this.home)}`;

  constructor() {
    // evaluators may share a home
    this.workFolder = join(this.workFolders, this.instance);
  }
}

const shortHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8);
