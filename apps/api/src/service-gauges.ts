import { statfs } from 'node:fs/promises';
import { QUEUE_SECONDS } from '@assay/evaluation';
import { HealthChecks, Metrics } from '@assay/observability';
import { MikroORM } from '@mikro-orm/postgresql';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Environment } from './environment.js';

/**
 * The time limit of one query in milliseconds. A scraper gives up after ten seconds and would then
 * get no figures at all.
 */
const PATIENCE = 1000;
/**
 * The number of failed queries after which the others are skipped, because the database will not
 * answer them either.
 */
const MAX_FAILED = 2;

/** A figure that is counted in the database. */
interface Counted {
  readonly name: `assay_${string}`;
  readonly help: string;
  readonly labels: readonly string[];
  /** Returns rows with `count` and a column for each label. */
  readonly sql: string;
}

const COUNTED: readonly Counted[] = [
  {
    name: 'assay_runs',
    help: 'Runs, by stage, state, and the code of the failure',
    labels: ['stage', 'state', 'code'],
    sql: `select stage, state, coalesce(failure ->> 'code', '') as code, count(*)::int as count from run group by 1, 2, 3`,
  },
  {
    name: 'assay_evaluations',
    help: 'Evaluations, by state and the code of the failure',
    labels: ['state', 'code'],
    sql: `select state, coalesce(failure ->> 'code', '') as code, count(*)::int as count from evaluation group by 1, 2`,
  },
  {
    name: 'assay_outbox_waiting',
    help: 'Events of the outbox that were not delivered yet, by type',
    labels: ['type'],
    sql: `select type, count(*)::int as count from outbox_event where delivered_at is null group by 1`,
  },
  {
    name: 'assay_outbox_oldest_seconds',
    help: 'Age of the oldest event of the outbox that was not delivered yet; 0: none waits',
    labels: [],
    sql: `select coalesce(extract(epoch from now() - min(created_at)), 0) as count from outbox_event where delivered_at is null`,
  },
  {
    name: 'assay_runs_oldest_waiting_seconds',
    help: 'How long the run has waited that has waited longest, by stage; 0: none waits',
    labels: ['stage'],
    // a run gets the same time in the queue whenever it is enqueued, for the first time or again
    sql: `select stage, coalesce(${QUEUE_SECONDS} - extract(epoch from min(deadline) filter (where state = 'queued') - now()), 0) as count
      from unnest(array['admission', 'evaluation']) as stage left join run using (stage) group by 1`,
  },
  {
    name: 'assay_evaluators',
    help: 'Evaluators that were seen in the last minute, by whether they can work',
    labels: ['able'],
    sql: `select able, count(name) filter (where (problems = '[]') = (able = 'yes'))::int as count
      from unnest(array['yes', 'no']) as able
      left join evaluator_presence on seen_at > now() - interval '1 minute' group by 1`,
  },
  {
    name: 'assay_placements',
    help: 'Copies of models in the loop, by state',
    labels: ['state'],
    sql: `select state, count(*)::int as count from placement group by 1`,
  },
  {
    name: 'assay_rounds',
    help: 'Rounds of collection, by state',
    labels: ['state'],
    sql: `select state, count(*)::int as count from round group by 1`,
  },
  {
    name: 'assay_annotations',
    help: 'Annotations, by outcome; checks and retracted ones among them',
    labels: ['outcome'],
    sql: `select outcome, count(*)::int as count from annotation group by 1`,
  },
  {
    name: 'assay_validations_waiting',
    help: 'Annotations that were handed to a validator who has not answered yet',
    labels: [],
    sql: `select count(*)::int as count from validation where answered_at is null`,
  },
];

type CountedRow = Readonly<Record<string, string | number>>;

/**
 * Gauges of the whole service, read from the database at every scrape. All API processes report the
 * same values.
 */
@Injectable()
export class ServiceGauges implements OnApplicationBootstrap {
  private reading: Promise<ReadonlyMap<string, readonly CountedRow[]>> | null = null;

  constructor(
    private readonly metrics: Metrics,
    private readonly orm: MikroORM,
    private readonly environment: Environment,
  ) {}

  onApplicationBootstrap(): void {
    for (const { name, help, labels } of COUNTED) {
      this.metrics.watch(name, help, labels, async (gauge) => {
        const rows = (await this.counted()).get(name) ?? [];
        gauge.reset();
        for (const { count, ...values } of rows) gauge.set(values, Number(count));
      });
    }
    this.metrics.watch('assay_blob_store_free_bytes', 'Room left on the disk of the blobs', [], async (gauge) => {
      const { bavail, bsize } = await statfs(this.environment.home);
      gauge.set(bavail * bsize);
    });
    const database = new HealthChecks([{ name: 'database', probe: () => this.probe() }], PATIENCE);
    this.metrics.watch('assay_database_up', 'Whether the database answers', [], async (gauge) => {
      gauge.set((await database.report()).ok ? 1 : 0);
    });
  }

  private async probe(): Promise<void> {
    await this.orm.em.fork().execute('select 1');
  }

  /**
   * Counts once at a time and shares the result with concurrent callers, because anybody may call
   * it.
   */
  private counted(): Promise<ReadonlyMap<string, readonly CountedRow[]>> {
    this.reading ??= this.count().finally(() => (this.reading = null));
    return this.reading;
  }

  /**
   * Returns the rows by name of the figure. Figures that could not be read are missing, so that the
   * others are reported.
   */
  private async count(): Promise<ReadonlyMap<string, readonly CountedRow[]>> {
    const found = new Map<string, readonly CountedRow[]>();
    const checks = COUNTED.map(({ name, sql }) => ({
      name,
      probe: async () => void found.set(name, await this.rowsOf(sql)),
    }));
    let failed = 0;
    for (const check of checks) {
      if (!(await new HealthChecks([check], PATIENCE).report()).ok) failed++;
      if (failed === MAX_FAILED) break;
    }
    return found;
  }

  private rowsOf(sql: string): Promise<readonly CountedRow[]> {
    return this.orm.em.fork().transactional(async (em) => {
      await em.execute(`set local statement_timeout = ${PATIENCE}`);
      return em.execute<CountedRow[]>(sql);
    });
  }
}
