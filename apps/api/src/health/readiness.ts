import { join } from 'node:path';
import { API_PARTS, type ReadinessQuery, SERVICE_PARTS, type ServicePart } from '@assay/contracts';
import type { Problem } from '@assay/kernel';
import { probeQueue, queueBackend } from '@assay/jobs';
import { HealthChecks } from '@assay/observability';
import { probeRoom } from '@assay/storage';
import { MikroORM } from '@mikro-orm/postgresql';
import { Injectable, Logger } from '@nestjs/common';
import { migrations } from '../../migrations/index.js';
import { Environment } from '../environment.js';

/**
 * The number of seconds after which an undelivered event or a silent evaluator counts as a failure.
 */
const PATIENCE = 60;

/** The messages that anybody may read. The details are in the log. */
const WORDS: Readonly<Record<ServicePart, string>> = {
  database: 'PostgreSQL does not answer.',
  migrations: 'The schema of the database is not that of this version: run the migrations.',
  blobs: 'The blob folder is missing, cannot be written, or is full.',
  queue: 'The queue does not answer.',
  evaluators: `No evaluator was seen in the last ${PATIENCE} seconds.`,
  docker: 'The Docker engine of no evaluator answers: see their logs.',
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
    const own = await this.report({
      database: () => this.expect('select true as holds'),
      blobs: () => probeRoom(join(home, 'blobs')),
      ...(redisUrl && { queue: () => probeQueue(queueBackend(redisUrl, databaseUrl, 1)) }),
    });
    // without the database, the parts below cannot be checked
    if (own.includes('database')) return own;
    let lacking: readonly ServicePart[] = [];
    const stored = await this.report({
      migrations: () => this.expect(MIGRATED, [migrations.length, `{${migrations.map(({ name }) => name).join(',')}}`]),
      ...(!redisUrl && { queue: () => probeQueue(queueBackend(undefined, databaseUrl, 1)) }),
      evaluators: async () => {
        lacking = lackingOf(await this.said());
      },
      outbox: () => this.expect(DELIVERED),
    });
    if (lacking.length > 0) this.logger.warn(`no evaluator can work: ${lacking.join(', ')}`);
    return [...own, ...stored, ...lacking];
  }

  /**
   * Returns what each evaluator lacks, as it last reported.
   * @throws Error if there is no evaluator
   */
  private async said(): Promise<readonly (readonly ServicePart[])[]> {
    const rows = await this.orm.em.fork().execute<{ readonly problems: readonly ServicePart[] }[]>(SAID);
    if (rows.length === 0) throw new Error(WORDS.evaluators);
    return rows.map(({ problems }) => problems);
  }

  private async report(
    probes: Readonly<Partial<Record<ServicePart, () => Promise<void>>>>,
  ): Promise<readonly ServicePart[]> {
    const checks = Object.entries(probes).map(([name, probe]) => ({ name, probe }));
    const failed = (await new HealthChecks(checks).report()).checks.filter(({ ok }) => !ok);
    for (const { name, error } of failed) this.logger.warn(`${name} is not ready: ${error ?? ''}`);
    return failed.map(({ name }) => name as ServicePart);
  }

  private async expect(sql: string, parameters: readonly unknown[] = []): Promise<void> {
    const [row] = await this.orm.em.fork().execute<{ readonly holds: boolean }[]>(sql, [...parameters]);
    if (!row?.holds) throw new Error('it does not hold');
  }
}

/**
 * Returns what prevents all evaluators from working: what all of them lack, or everything that they
 * lack if each lacks something else.
 */
function lackingOf(evaluators: readonly (readonly ServicePart[])[]): readonly ServicePart[] {
  if (evaluators.some((problems) => problems.length === 0)) return [];
  const common = evaluators[0]!.filter((part) => evaluators.every((problems) => problems.includes(part)));
  return common.length > 0 ? common : evaluators.flat();
}

export const partsOf = (of: ReadinessQuery['of']): readonly ServicePart[] => (of === 'api' ? API_PARTS : SERVICE_PARTS);

const MIGRATED = `select count(*) = ? as holds from mikro_orm_migrations where name = any(?::text[])`;
const SAID = `select problems from evaluator_presence where seen_at > now() - interval '${PATIENCE} seconds'`;
const DELIVERED = `
  select count(*) = 0 as holds from outbox_event
   where delivered_at is null and created_at < now() - interval '${PATIENCE} seconds'`;
