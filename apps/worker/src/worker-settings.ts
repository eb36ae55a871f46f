import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { readEnvironment } from '@assay/contracts';
import { processesOf } from '@assay/persistence';
import { configuredCeilings } from '@assay/tasks/limits';
import { z } from 'zod';

const OwnEnvironment = z.object({
  /**
   * Name of this worker, unique among those that share a database. It must stay the same after a
   * restart.
   */
  ASSAY_WORKER: z
    .string()
    .regex(/^[\w.-]{1,60}$/)
    .optional(),
  /** Port for the Prometheus metrics and health checks of this worker. Default: none. */
  ASSAY_WORKER_METRICS_PORT: z.coerce.number().int().min(1).max(65_535).optional(),
  /** Deployments per target model, on different evaluators. */
  ASSAY_PLACEMENT_COPIES: z.coerce.number().int().min(1).max(8).default(1),
  /**
   * Seconds for which an apparently unused file stays on the disk: a blob without a row, an upload
   * that never finished.
   */
  ASSAY_ORPHAN_SECONDS: z.coerce
    .number()
    .min(1)
    .default(24 * 3600),
});

/** The environment of a worker, read once. */
export class WorkerSettings {
  private readonly common = readEnvironment(process.env);
  private readonly own = OwnEnvironment.parse(process.env);

  readonly databaseUrl = this.common.DATABASE_URL;
  readonly redisUrl = this.common.REDIS_URL;
  readonly databaseConnections = this.common.ASSAY_DB_CONNECTIONS;
  /** The number of processes that share the database connections. */
  readonly processes = processesOf(this.common);
  readonly tracing = { endpoint: this.common.OTEL_EXPORTER_OTLP_ENDPOINT, share: this.common.OTEL_TRACES_SAMPLER_ARG };
  readonly metrics = {
    host: this.common.ASSAY_METRICS_HOST,
    port: this.own.ASSAY_WORKER_METRICS_PORT,
    token: this.common.ASSAY_METRICS_TOKEN,
  };
  readonly logLevel = this.common.LOG_LEVEL;
  /** The URL at which users reach the service. */
  readonly publicUrl = (this.common.PUBLIC_URL ?? `http://localhost:${this.common.PORT}`).replace(/\/$/, '');
  /** Null if no mail is sent. */
  readonly mail = this.common.SMTP_URL
    ? {
        url: this.common.SMTP_URL,
        from: this.common.MAIL_FROM,
        publicUrl: this.publicUrl,
      }
    : null;
  readonly webhooks = {
    allowedNetworks: this.common.ASSAY_WEBHOOK_ALLOWED_NETWORKS,
    ports: this.common.ASSAY_WEBHOOK_PORTS,
    http: this.common.ASSAY_WEBHOOK_HTTP,
  };
  readonly home = this.common.ASSAY_HOME;
  /** The operator's ceilings for the limits of tasks. */
  readonly ceilings = configuredCeilings(this.common);
  readonly leaseSeconds = this.common.ASSAY_LEASE_SECONDS;
  readonly deploymentCopies = this.own.ASSAY_PLACEMENT_COPIES;
  readonly orphanSeconds = this.own.ASSAY_ORPHAN_SECONDS;
  /** The parent of the work folders of all processes of this home. */
  readonly workFolders = join(this.home, 'work');
  readonly instance = this.own.ASSAY_WORKER ?? `worker-${hostname()}-${shortHash(this.home)}`;
  /** Temporary files of runs. Emptied when the worker starts. */
  readonly workFolder = join(this.workFolders, this.instance);
}

const shortHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8);
