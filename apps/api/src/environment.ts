import { type Environment as Values, readEnvironment } from '@assay/contracts';
import type { RegistrationMode } from '@assay/contracts/identity';
import { GIB } from '@assay/contracts/text';
import { connectionShares, processesOf } from '@assay/persistence';
import { configuredCeilings } from '@assay/tasks/limits';

/** The environment of this process, read once. */
export class Environment {
  private readonly values = readEnvironment(process.env);

  readonly home = this.values.ASSAY_HOME;
  readonly databaseUrl = this.values.DATABASE_URL;
  /** Used only for migrations. */
  readonly databaseOwnerUrl = this.values.DATABASE_OWNER_URL;
  readonly redisUrl = this.values.REDIS_URL;
  readonly host = this.values.HOST;
  readonly port = this.values.PORT;
  /** The proxies that are trusted to name the address of the client. */
  readonly trustedProxies = this.values.ASSAY_TRUSTED_PROXIES;
  readonly databaseConnections = this.values.ASSAY_DB_CONNECTIONS;
  /** The number of processes that share the connections. */
  readonly processes = processesOf(this.values);
  /** The number of database connections that this process may hold. */
  readonly poolMax = connectionShares(this.databaseConnections, this.processes).api.pool;
  /** The people who may create an account. */
  readonly registration = registrationOf(this.values);
  /** True if accounts can be verified, so that only verified ones may submit to tasks with hidden data. */
  readonly verifiedSubmitters = this.registration !== 'open' || this.values.SMTP_URL !== undefined;
  readonly signInsPerMinute = this.values.ASSAY_SIGN_INS_PER_MINUTE;
  /** The storage limit of a user in bytes. */
  readonly userStorage = this.values.ASSAY_USER_STORAGE;
  /** Seconds for which the lease of a run is valid without a renewal. */
  readonly leaseSeconds = this.values.ASSAY_LEASE_SECONDS;
  /** Seconds after its first evaluation in which a model is measured by itself. */
  readonly measureAfterSeconds = this.values.ASSAY_MEASURE_AFTER_SECONDS;
  /** Where other API processes reach this one. */
  readonly internal = { host: this.values.ASSAY_INTERNAL_HOST, port: this.values.ASSAY_INTERNAL_PORT };
  /** The operator's ceilings for the limits of tasks. */
  readonly ceilings = configuredCeilings(this.values);
  /**
   * The size limits of files in bytes: a dataset; lines that are written to the database in one
   * transaction; verdicts on variants.
   */
  readonly fileSizes = {
    dataset: this.values.ASSAY_DATASET_SIZE,
    lines: Math.min(this.values.ASSAY_DATASET_SIZE, GIB),
    verdicts: Math.min(this.values.ASSAY_DATASET_SIZE, GIB / 16),
  };
  /** The OpenID provider to sign in with, if there is one. */
  readonly provider =
    this.values.ASSAY_OIDC_ISSUER === undefined
      ? null
      : {
          issuer: this.values.ASSAY_OIDC_ISSUER,
          clientId: this.values.ASSAY_OIDC_CLIENT_ID,
          clientSecret: this.values.ASSAY_OIDC_CLIENT_SECRET,
          name: this.values.ASSAY_OIDC_NAME,
        };
  readonly requestsPerMinute = this.values.ASSAY_REQUESTS_PER_MINUTE;
  readonly readsPerMinute = this.values.ASSAY_READS_PER_MINUTE;
  readonly changesPerMinute = this.values.ASSAY_CHANGES_PER_MINUTE;
  readonly uploadsPerMinute = this.values.ASSAY_UPLOADS_PER_MINUTE;
  readonly liveRequestsPerMinute = this.values.ASSAY_LIVE_REQUESTS_PER_MINUTE;
  readonly evaluatorRequestsPerMinute = this.values.ASSAY_EVALUATOR_REQUESTS_PER_MINUTE;
  readonly costlyRequestsPerMinute = this.values.ASSAY_COSTLY_REQUESTS_PER_MINUTE;
  readonly addressRequestsPerMinute = this.values.ASSAY_ADDRESS_REQUESTS_PER_MINUTE;
  /** The time in milliseconds after which a stalled connection is closed. */
  readonly stalledMilliseconds = this.values.ASSAY_STALLED_SECONDS * 1000;
  readonly followedAtOnce = this.values.ASSAY_FOLLOWED_AT_ONCE;
  /** True if the service sends mail. */
  readonly mails = this.values.SMTP_URL !== undefined;
  /** The networks, ports and schemes that webhooks may use. */
  readonly webhooks = {
    allowedNetworks: this.values.ASSAY_WEBHOOK_ALLOWED_NETWORKS,
    ports: this.values.ASSAY_WEBHOOK_PORTS,
    http: this.values.ASSAY_WEBHOOK_HTTP,
  };
  /** The token that is needed to read the metrics. */
  readonly metricsToken = this.values.ASSAY_METRICS_TOKEN;
  readonly tracing = { endpoint: this.values.OTEL_EXPORTER_OTLP_ENDPOINT, share: this.values.OTEL_TRACES_SAMPLER_ARG };
  readonly logLevel = this.values.LOG_LEVEL;
  /** The folder of the built dashboard. */
  readonly dashboard = this.values.ASSAY_DASHBOARD;
  /** The folder of the ready tasks. */
  readonly readyTasks = this.values.ASSAY_READY_TASKS;
  /** The URL at which users reach the service, without a trailing slash. */
  readonly publicUrl = (this.values.PUBLIC_URL ?? `http://localhost:${this.values.PORT}`).replace(/\/$/, '');
}

/** @throws Error if the mode needs a setting that is missing */
function registrationOf({ ASSAY_REGISTRATION: mode, SMTP_URL }: Values): RegistrationMode {
  if (mode !== 'mail' || SMTP_URL !== undefined) return mode;
  throw new Error('ASSAY_REGISTRATION=mail needs a mail server. Set SMTP_URL, or choose another mode.');
}
