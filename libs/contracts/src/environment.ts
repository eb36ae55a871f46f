import { resolve } from 'node:path';
import { z } from 'zod';
import { ByteSize, GIB } from './quantity.js';

/** Values with commas between them. */
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
  .regex(/^\d{1,5}(?:-\d{1,5})?$/, 'a port, or two with - between them')
  .transform((text) => {
    const [from = 0, to = from] = text.split('-').map(Number);
    return { from, to };
  });

/** The environment that every process of the service reads. Whatever is not named here is not read. */
export const Environment = z.object({
  ASSAY_HOME: z
    .string()
    .default('.assay')
    .transform((path) => resolve(path)),
  /** Where the built dashboard lies; where nothing is, the API answers without it. */
  ASSAY_DASHBOARD: z
    .string()
    .default('dist/dashboard/browser')
    .transform((path) => resolve(path)),
  /** Where the ready tasks lie, a YAML file each. */
  ASSAY_READY_TASKS: z
    .string()
    .default('libs/tasks/ready')
    .transform((path) => resolve(path)),
  DATABASE_URL: z.string().min(1),
  /** By whom the database is migrated: a role that owns it, and that no other process needs. Default: that of DATABASE_URL. */
  DATABASE_OWNER_URL: z.string().min(1).optional(),
  REDIS_URL: z.string().min(1).optional(),
  HOST: z.string().default('0.0.0.0'),
  PORT: z.coerce.number().int().min(0).max(65_535).default(8080),
  PUBLIC_URL: z.url().optional(),
  DOCKER_HOST: z.string().optional(),
  /** Of all processes together; each takes its share. One API and one evaluator need 32. */
  ASSAY_DB_CONNECTIONS: z.coerce.number().int().min(32).default(60),
  /** How many processes of each kind share the database; the same for all of them. */
  ASSAY_API_PROCESSES: z.coerce.number().int().min(1).default(1),
  ASSAY_EVALUATOR_PROCESSES: z.coerce.number().int().min(1).default(1),
  /** Requests per minute in which a secret is tried, or an account made, from one client network. */
  ASSAY_SIGN_INS_PER_MINUTE: z.coerce.number().int().min(1).default(30),
  /** What the artifacts, datasets and uploads of one user may take together. Administrators set it for single ones, and have no limit. */
  ASSAY_USER_STORAGE: ByteSize.default(100 * GIB),
  /** What one uploaded dataset may have, whoever sends it; of what goes to the database at most a part of it is taken. */
  ASSAY_DATASET_SIZE: ByteSize.default(10 * GIB),
  /**
   * Ceilings: the most that a task's `limits` may ask for. Each defaults to what the host has (memory, cores, size of
   * the disk), or to a fixed value, and never to less than the default of the limit itself.
   */
  ASSAY_MAX_MEMORY: ByteSize.optional(),
  ASSAY_MAX_CPUS: z.coerce.number().positive().optional(),
  ASSAY_MAX_PIDS: z.coerce.number().int().min(16).optional(),
  ASSAY_MAX_START_SECONDS: z.coerce.number().positive().optional(),
  ASSAY_MAX_REQUEST_SECONDS: z.coerce.number().positive().optional(),
  ASSAY_MAX_EVALUATION_SECONDS: z.coerce.number().positive().optional(),
  ASSAY_MAX_ARTIFACT: ByteSize.optional(),
  ASSAY_MAX_UNPACKED: ByteSize.optional(),
  /** An OpenID provider that people may sign in with: its issuer, as it calls itself. By http on this machine alone. */
  ASSAY_OIDC_ISSUER: z
    .url({ protocol: /^https?$/ })
    .refine((url) => url.startsWith('https:') || isLoopback(url), 'by https')
    .optional(),
  ASSAY_OIDC_CLIENT_ID: z.string().min(1).default('assay'),
  /** Default: what the file `oidc-client-secret` in ASSAY_HOME holds; without either, a public client. */
  ASSAY_OIDC_CLIENT_SECRET: z.string().min(1).optional(),
  /** What the button to sign in with it says. */
  ASSAY_OIDC_NAME: z.string().min(1).max(60).default('OpenID Connect'),
  /** Requests per minute of one user, all tokens and classes together. */
  ASSAY_REQUESTS_PER_MINUTE: z.coerce.number().int().min(1).default(30_000),
  /** Cheap reads per minute, for each token or session, or each client network without one. A token may make 100 a second. */
  ASSAY_READS_PER_MINUTE: z.coerce.number().int().min(1).default(6_600),
  /** Requests per minute that compute or read much (searches, comparisons, exports, previews, new boards), for each user or client network. */
  ASSAY_COSTLY_REQUESTS_PER_MINUTE: z.coerce.number().int().min(1).default(300),
  /** Changes per minute, for each user or client network. */
  ASSAY_CHANGES_PER_MINUTE: z.coerce.number().int().min(1).default(3_000),
  /** Uploads per minute, for each user or client network; each part of a resumable upload counts. */
  ASSAY_UPLOADS_PER_MINUTE: z.coerce.number().int().min(1).default(3_000),
  /** Requests per minute that a model answers while the caller waits, for each user or client network. */
  ASSAY_LIVE_REQUESTS_PER_MINUTE: z.coerce.number().int().min(1).default(300),
  /** Requests per minute from one address, signed in or not: many people may share it. */
  ASSAY_ADDRESS_REQUESTS_PER_MINUTE: z.coerce.number().int().min(1).default(600_000),
  /** Seconds without a byte after which a sender or a reader is cut off; all of a body that is no file has to come within them. */
  ASSAY_STALLED_SECONDS: z.coerce.number().positive().max(86_400).default(60),
  /** Models whose events one user, or one address without one, may follow at once. */
  ASSAY_FOLLOWED_AT_ONCE: z.coerce.number().int().min(1).default(20),
  /** Where mail is handed over: `smtp://` or `smtps://user:password@host:port`. Without it none is sent. */
  SMTP_URL: z.url({ protocol: /^smtps?$/ }).optional(),
  /** Whom mail is from. */
  MAIL_FROM: z.string().min(3).max(320).default('Assay <assay@localhost>'),
  /** Proxies whose `X-Forwarded-…` counts: addresses and networks like `10.1.0.0/16`, or `loopback`. */
  ASSAY_TRUSTED_PROXIES: listOf(z.union([z.literal('loopback'), z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()])).default([
    'loopback',
  ]),
  /** Networks that webhooks may reach though they are not public, like `10.1.0.0/16,fd00:1::/64`. */
  ASSAY_WEBHOOK_ALLOWED_NETWORKS: listOf(z.union([z.cidrv4(), z.cidrv6()])).default([]),
  /** Ports that webhooks may reach, and ranges of them: `443,8000-8999`. */
  ASSAY_WEBHOOK_PORTS: listOf(PortRange).default([
    { from: 443, to: 443 },
    { from: 80, to: 80 },
    { from: 8443, to: 8443 },
  ]),
  /** Whether webhooks may be at http: addresses as well. */
  ASSAY_WEBHOOK_HTTP: z.stringbool().default(false),
  /** What `GET /metrics` asks for as a bearer token; without it everybody may read them. */
  ASSAY_METRICS_TOKEN: z.string().min(16).optional(),
  /** Where traces are sent by OTLP over HTTP, as OpenTelemetry names it; without it none are taken. */
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  /** The share of traces that are taken. */
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1),
  LOG_LEVEL: z.enum(['debug', 'log', 'warn', 'error']).default('log'),
});
export type Environment = z.infer<typeof Environment>;

/** Whether it leads to this very machine. */
export const isLoopback = (url: string): boolean =>
  /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(url).hostname);

export function readEnvironment(source: Readonly<Record<string, string | undefined>>): Environment {
  return Environment.parse(source);
}
