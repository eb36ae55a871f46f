import { resolve } from 'node:path';
import { z } from 'zod';
import { REGISTRATION_MODES } from './identity/identity.js';
import { ByteSize, GIB } from './text/quantity.js';

/** A comma-separated list of values. */
const listOf = <T extends z.ZodType<unknown, string>>(item: T) =>
  z
    .string()
    .transform((text) =>
      text
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== ''),
    )
    .pipe(z.array(item));

const PortRange = z
  .string()
  .regex(/^\d{1,5}(?:-\d{1,5})?$/, 'must be a port, or a range of ports such as 8000-8999')
  .transform((text) => {
    const [from = 0, to = from] = text.split('-').map(Number);
    return { from, to };
  });

/**
 * The environment variables that every process of the service reads. Other variables are ignored
 * here; the evaluator reads its own as well.
 */
export const Environment = z.object({
  ASSAY_HOME: z
    .string()
    .default('.assay')
    .transform((path) => resolve(path)),
  /**
   * Folder of the built dashboard. If it is empty, the API runs without its pages and without the
   * page of crowd workers.
   */
  ASSAY_DASHBOARD: z
    .string()
    .default('dist/dashboard/browser')
    .transform((path) => resolve(path)),
  /** Folder of the task definitions that come with the service, one YAML file per task. */
  ASSAY_READY_TASKS: z
    .string()
    .default('libs/tasks/ready')
    .transform((path) => resolve(path)),
  DATABASE_URL: z.string().min(1),
  /**
   * Connection for migrations, with a role that owns the database; no other process needs it.
   * Default: DATABASE_URL.
   */
  DATABASE_OWNER_URL: z.string().min(1).optional(),
  REDIS_URL: z.string().min(1).optional(),
  HOST: z.string().default('0.0.0.0'),
  PORT: z.coerce.number().int().min(0).max(65_535).default(8080),
  PUBLIC_URL: z.url().optional(),
  DOCKER_HOST: z.string().optional(),
  /**
   * Database connections of all processes together, divided among them. One API and one worker need
   * 32.
   */
  ASSAY_DB_CONNECTIONS: z.coerce.number().int().min(32).default(60),
  /**
   * The number of processes of each kind that share the database. Must be the same for all of them.
   */
  ASSAY_API_PROCESSES: z.coerce.number().int().min(1).default(1),
  ASSAY_WORKER_PROCESSES: z.coerce.number().int().min(1).default(1),
  /**
   * The people who may create an account. `mail`: everyone, but the account can only read until its mail address
   * is confirmed, which needs SMTP_URL. `invitation`: people with the link of an invitation.
   */
  ASSAY_REGISTRATION: z.enum(REGISTRATION_MODES).default('open'),
  /** Requests per minute from one client network that try a secret or create an account. */
  ASSAY_SIGN_INS_PER_MINUTE: z.coerce.number().int().min(1).default(30),
  /**
   * Bytes that the artifacts, datasets and uploads of one user may take together. Administrators
   * can set another limit per user, and have no limit themselves.
   */
  ASSAY_USER_STORAGE: ByteSize.default(100 * GIB),
  /**
   * The largest size of an uploaded dataset, for every user. Uploads that are stored in the
   * database have a lower limit.
   */
  ASSAY_DATASET_SIZE: ByteSize.default(10 * GIB),
  /**
   * The ceilings of the `limits` of a task. The default is what the host has (memory, cores, size
   * of the disk) or a fixed value, but never less than the default of the limit itself.
   */
  ASSAY_MAX_MEMORY: ByteSize.optional(),
  ASSAY_MAX_CPUS: z.coerce.number().positive().optional(),
  ASSAY_MAX_PIDS: z.coerce.number().int().min(16).optional(),
  ASSAY_MAX_START_SECONDS: z.coerce.number().positive().optional(),
  ASSAY_MAX_REQUEST_SECONDS: z.coerce.number().positive().optional(),
  ASSAY_MAX_EVALUATION_SECONDS: z.coerce.number().positive().optional(),
  ASSAY_MAX_ARTIFACT: ByteSize.optional(),
  ASSAY_MAX_UNPACKED: ByteSize.optional(),
  /**
   * Issuer identifier of an OpenID provider that users may sign in with. http is allowed only for
   * loopback addresses.
   */
  ASSAY_OIDC_ISSUER: z
    .url({ protocol: /^https?$/ })
    .refine((url) => url.startsWith('https:') || isLoopback(url), 'must use https')
    .optional(),
  ASSAY_OIDC_CLIENT_ID: z.string().min(1).default('assay'),
  /**
   * Default: the content of the file `oidc-client-secret` in ASSAY_HOME. Without either, a public
   * client.
   */
  ASSAY_OIDC_CLIENT_SECRET: z.string().min(1).optional(),
  /** The provider's name on the sign-in button. */
  ASSAY_OIDC_NAME: z.string().min(1).max(60).default('OpenID Connect'),
  /** Requests per minute of one user, over all tokens and request classes. */
  ASSAY_REQUESTS_PER_MINUTE: z.coerce.number().int().min(1).default(30_000),
  /**
   * Cheap reads per minute, for each token or session, or for each client network without one. The
   * default allows 100 per second with a reserve.
   */
  ASSAY_READS_PER_MINUTE: z.coerce.number().int().min(1).default(6_600),
  /**
   * Expensive requests per minute (searches, comparisons, exports, previews, new boards), for each
   * user or client network.
   */
  ASSAY_COSTLY_REQUESTS_PER_MINUTE: z.coerce.number().int().min(1).default(300),
  /** Changes per minute, for each user or client network. */
  ASSAY_CHANGES_PER_MINUTE: z.coerce.number().int().min(1).default(3_000),
  /**
   * Uploads per minute, for each user or client network. Each part of a resumable upload counts.
   */
  ASSAY_UPLOADS_PER_MINUTE: z.coerce.number().int().min(1).default(3_000),
  /**
   * Requests per minute that a model answers while the caller waits, for each user or client
   * network.
   */
  ASSAY_LIVE_REQUESTS_PER_MINUTE: z.coerce.number().int().min(1).default(300),
  /**
   * Requests per minute of one registered evaluator, or of one user or client network that has no
   * evaluator's token. A heartbeat takes 4.
   */
  ASSAY_EVALUATOR_REQUESTS_PER_MINUTE: z.coerce.number().int().min(1).default(3_000),
  /**
   * Requests per minute from one address, signed in or not. High, because many users may share it.
   */
  ASSAY_ADDRESS_REQUESTS_PER_MINUTE: z.coerce.number().int().min(1).default(600_000),
  /**
   * Seconds without a byte after which a connection is closed. A request body that is not a file
   * must arrive completely within them.
   */
  ASSAY_STALLED_SECONDS: z.coerce.number().positive().max(86_400).default(60),
  /**
   * The number of models whose events one user (or one address without a user) may follow at once.
   */
  ASSAY_FOLLOWED_AT_ONCE: z.coerce.number().int().min(1).default(20),
  /**
   * The mail server: `smtp://` or `smtps://user:password@host:port`. Without it no mail is sent.
   */
  SMTP_URL: z.url({ protocol: /^smtps?$/ }).optional(),
  /** The sender of mail. */
  MAIL_FROM: z.string().min(3).max(320).default('Assay <assay@localhost>'),
  /**
   * Proxies whose `X-Forwarded-…` headers are trusted: addresses, networks like `10.1.0.0/16`, or
   * `loopback`.
   */
  ASSAY_TRUSTED_PROXIES: listOf(z.union([z.literal('loopback'), z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()])).default([
    'loopback',
  ]),
  /**
   * Networks that webhooks may reach although they are not public, like `10.1.0.0/16,fd00:1::/64`.
   */
  ASSAY_WEBHOOK_ALLOWED_NETWORKS: listOf(z.union([z.cidrv4(), z.cidrv6()])).default([]),
  /** Ports and port ranges that webhooks may reach: `443,8000-8999`. */
  ASSAY_WEBHOOK_PORTS: listOf(PortRange).default([
    { from: 443, to: 443 },
    { from: 80, to: 80 },
    { from: 8443, to: 8443 },
  ]),
  /** True if webhooks may also use http. */
  ASSAY_WEBHOOK_HTTP: z.stringbool().default(false),
  /** Seconds after which a lease that is not renewed expires and others may take it. */
  ASSAY_LEASE_SECONDS: z.coerce.number().positive().default(60),
  /** Seconds after its first evaluation in which a model is measured by itself, when no model waits for its scores. */
  ASSAY_MEASURE_AFTER_SECONDS: z.coerce.number().min(0).default(120),
  /**
   * Host and port on which other API processes reach this one, to ask the models of the evaluators that
   * are connected to it. Port 0 selects any free port.
   */
  ASSAY_INTERNAL_HOST: z.string().min(1).default('127.0.0.1'),
  ASSAY_INTERNAL_PORT: z.coerce.number().int().min(0).max(65_535).default(0),
  /**
   * The host on which workers and evaluators serve Prometheus metrics and health checks, if they
   * have a port for that.
   */
  ASSAY_METRICS_HOST: z.string().min(1).default('127.0.0.1'),
  /** The bearer token that `GET /metrics` requires. Without it, anyone may read the metrics. */
  ASSAY_METRICS_TOKEN: z.string().min(16).optional(),
  /**
   * The endpoint for traces (OTLP over HTTP), as OpenTelemetry names it. Without it, tracing is
   * off.
   */
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  /** The share of traces that are sampled. */
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1),
  LOG_LEVEL: z.enum(['debug', 'log', 'warn', 'error']).default('log'),
});
export type Environment = z.infer<typeof Environment>;

/** Returns whether the host of a URL is this machine. */
export const isLoopback = (url: string): boolean =>
  /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(url).hostname);

export function readEnvironment(source: Readonly<Record<string, string | undefined>>): Environment {
  return Environment.parse(source);
}
