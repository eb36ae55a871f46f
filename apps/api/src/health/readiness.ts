import { join } from 'node:path';
import { API_PARTS, type ReadinessQuery, SERVICE_PARTS, type ServicePart } from '@assay/contracts/operations';
import { WorkerPresenceRepository } from '@assay/evaluation';
import { EvaluatorRepository } from '@assay/evaluation/evaluators';
import { probeQueue, queueBackend } from '@assay/jobs';
import type { Problem } from '@assay/kernel';
import { failedProbes } from '@assay/observability';
import { probeDatabase } from '@assay/persistence';
import { OutboxRepository } from '@assay/persistence/outbox';
import { probeRoom } from '@assay/storage';
import { MikroORM } from '@mikro-orm/postgresql';
import { Injectable, Logger } from '@nestjs/common';
import { DatabaseRepository } from '../database.repository.js';
import { Environment } from '../environment.js';

/**
 * The number of seconds after which an undelivered event or a silent process counts as a failure.
 */
const PATIENCE = 60;

/** The messages that anybody may read. The details are in the log. */
const WORDS: Readonly<Record<ServicePart, string>> = {
  database: 'PostgreSQL does not answer.',
  migrations: 'The database schema does not match this version. Run the migrations.',
  blobs: 'The blob folder is missing, cannot be written, or is full.',
  queue: 'The queue does not answer.',
  workers: `No worker that can work was seen in the last ${PATIENCE} seconds.`,
  evaluators: `No evaluator was seen in the last ${PATIENCE} seconds.`,
  docker:
    'No evaluator can run models, for example because its Docker engine does not answer. See the page of evaluators.',
  outbox: `Events have waited for more than ${PATIENCE} seconds to be delivered.`,
};

/** Checks which parts of the service are not ready. */
@Injectable()
export class ReadinessChecks {
  private readonly logger = new Logger(ReadinessChecks.name);
  private looking: Promise<readonly ServicePart[]> | null = null;

  constructor(
    private readonly orm: MikroORM,
    private readonly environment: Environment,
  ) {}

  async problems(of: ReadinessQuery['of']): Promise<Problem[]> {
    const failing = await this.failing();
    return partsOf(of)
      .filter((part) => failing.includes(part))
      .map((path) => ({ path, message: WORDS[path] }));
  }

  /**
   * Runs one check at a time and shares its result with concurrent callers, because anybody may
   * call it.
   */
  private failing(): Promise<readonly ServicePart[]> {
    this.looking ??= this.look().finally(() => (this.looking = null));
    return this.looking;
  }

  private async look(): Promise<readonly ServicePart[]> {
    const { home, redisUrl, databaseUrl } = this.environment;
    const { em } = this.orm;
    const own = await this.report({
      database: () => probeDatabase(em),
      blobs: () => probeRoom(join(home, 'blobs')),
      ...(redisUrl && { queue: () => probeQueue(queueBackend(redisUrl, databaseUrl, 1)) }),
    });
    // without the database, the parts below cannot be checked
    if (own.includes('database')) return own;
    let lacking: readonly ServicePart[] = [];
    const stored = await this.report({
      migrations: async () => {
        if (!(await new DatabaseRepository(em.fork()).isMigrated())) throw new Error(WORDS.migrations);
      },
      ...(!redisUrl && { queue: () => probeQueue(queueBackend(undefined, databaseUrl, 1)) }),
      workers: async () => {
        const seen = await new WorkerPresenceRepository(em.fork()).seenWithin(PATIENCE);
        if (!seen.some(({ problems }) => problems.length === 0)) throw new Error(WORDS.workers);
      },
      evaluators: async () => {
        const seen = await new EvaluatorRepository(em.fork()).seenWithin(PATIENCE, 'everyone');
        if (seen.length === 0) throw new Error(WORDS.evaluators);
        if (seen.some(({ problem }) => problem === null)) return;
        lacking = ['docker'];
        for (const { name, problem } of seen) this.logger.warn(`evaluator ${name} cannot run models: ${problem}`);
      },
      outbox: async () => {
        const { oldestSeconds } = await new OutboxRepository(em.fork()).waiting();
        if (oldestSeconds !== null && oldestSeconds > PATIENCE) throw new Error(WORDS.outbox);
      },
    });
    return [...own, ...stored, ...lacking];
  }

  private async report(
    probes: Readonly<Partial<Record<ServicePart, () => Promise<void>>>>,
  ): Promise<readonly ServicePart[]> {
    const failed = await failedProbes(probes);
    for (const [name, message] of failed) this.logger.warn(`${name} is not ready: ${message}`);
    return [...failed.keys()] as ServicePart[];
  }
}

export const partsOf = (of: ReadinessQuery['of']): readonly ServicePart[] => (of === 'api' ? API_PARTS : SERVICE_PARTS);
