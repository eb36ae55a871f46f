import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { Environment } from '@assay/contracts';
import { processesOf } from '@assay/persistence';
import { z } from 'zod';
import type { DeploymentSettings } from '../serving/deployment-host.js';
import { HostEnvironment, HostSettings } from './host-settings.js';

const EvaluatorEnvironment = HostEnvironment.extend({
  DATABASE_URL: Environment.shape.DATABASE_URL,
  /**
   * Name of this evaluator, unique among those that share a database or an engine. It must stay the
   * same after a restart.
   */
  ASSAY_EVALUATOR: z
    .string()
    .regex(/^[\w.-]{1,60}$/)
    .optional(),
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

/** The environment of an evaluator that has the database, read once. */
export class EvaluatorSettings extends HostSettings<z.infer<typeof EvaluatorEnvironment>> {
  readonly databaseUrl = this.environment.DATABASE_URL;
  readonly redisUrl = this.environment.REDIS_URL;
  readonly databaseConnections = this.environment.ASSAY_DB_CONNECTIONS;
  /** The number of processes that share the database connections. */
  readonly processes = processesOf(this.environment);
  readonly home = this.environment.ASSAY_HOME;
  /** Bytes that a user may store; the same setting as that of the API. */
  readonly userStorage = this.environment.ASSAY_USER_STORAGE;
  readonly leaseSeconds = this.environment.ASSAY_LEASE_SECONDS;
  readonly deployments: DeploymentSettings = {
    most: this.environment.ASSAY_PLACEMENTS,
    host: this.environment.ASSAY_PLACEMENT_HOST,
    port: this.environment.ASSAY_PLACEMENT_PORT,
    holdSeconds: this.environment.ASSAY_PLACEMENT_HOLD_SECONDS,
    slowSeconds: this.environment.ASSAY_PLACEMENT_SLOW_SECONDS,
    idleSeconds: this.environment.ASSAY_PLACEMENT_IDLE_SECONDS,
    turnSeconds: this.environment.ASSAY_PLACEMENT_TURN_SECONDS,
  };
  /** The parent of the work folders of all evaluators of this home. */
  readonly workFolders = join(this.home, 'work');
  /** Temporary files of runs. Emptied when the evaluator starts. */
  readonly workFolder: string;
  readonly instance = this.environment.ASSAY_EVALUATOR ?? `${hostname()}-${shortHash(this.home)}`;

  constructor() {
    super(EvaluatorEnvironment.parse(process.env));
    // one folder per evaluator, because several evaluators may share a home
    this.workFolder = join(this.workFolders, this.instance);
  }
}

const shortHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8);
