import { statfs } from 'node:fs/promises';
import { CollectionCountsRepository } from '@assay/collection/statistics';
import { WorkStatisticsRepository } from '@assay/evaluation';
import { EvaluatorRepository } from '@assay/evaluation/evaluators';
import { failedProbes, Metrics } from '@assay/observability';
import { probeDatabase, withStatementTimeout } from '@assay/persistence';
import { OutboxRepository } from '@assay/persistence/outbox';
import { type CountedRows } from '@assay/persistence/queries';
import { DeploymentRepository } from '@assay/serving';
import { type EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Environment } from '../environment.js';

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
  /** Returns rows with a column for each label. */
  readonly count: (em: EntityManager) => Promise<readonly CountedRows[]>;
}

const COUNTED: readonly Counted[] = [
  {
    name: 'assay_runs',
    help: 'Runs, by stage, state, and the code of the failure',
    labels: ['stage', 'state', 'code'],
    count: (em) => new WorkStatisticsRepository(em).runs(),
  },
  {
    name: 'assay_evaluations',
    help: 'Evaluations, by state and the code of the failure',
    labels: ['state', 'code'],
    count: (em) => new WorkStatisticsRepository(em).evaluations(),
  },
  {
    name: 'assay_outbox_waiting',
    help: 'Events of the outbox that were not delivered yet, by type',
    labels: ['type'],
    count: (em) => new OutboxRepository(em).countByType(),
  },
  {
    name: 'assay_outbox_oldest_seconds',
    help: 'Age of the oldest event of the outbox that was not delivered yet; 0 if none is waiting',
    labels: [],
    count: async (em) => [{ count: (await new OutboxRepository(em).waiting()).oldestSeconds ?? 0 }],
  },
  {
    name: 'assay_runs_oldest_waiting_seconds',
    help: 'Age of the oldest waiting run, by stage; 0 if none is waiting',
    labels: ['stage'],
    count: (em) => new WorkStatisticsRepository(em).oldestWaitingSeconds(),
  },
  {
    name: 'assay_evaluators',
    help: 'Evaluators that were seen in the last minute, by whether they can work',
    labels: ['able'],
    count: (em) => new EvaluatorRepository(em).countByAbility(),
  },
  {
    name: 'assay_placements',
    help: 'Copies of models in the loop, by state',
    labels: ['state'],
    count: (em) => new DeploymentRepository(em).countByState(),
  },
  {
    name: 'assay_rounds',
    help: 'Rounds of collection, by state',
    labels: ['state'],
    count: (em) => new CollectionCountsRepository(em).rounds(),
  },
  {
    name: 'assay_annotations',
    help: 'Annotations, by outcome; checks and retracted ones among them',
    labels: ['outcome'],
    count: (em) => new CollectionCountsRepository(em).annotations(),
  },
  {
    name: 'assay_validations_waiting',
    help: 'Annotations assigned to a validator who has not answered yet',
    labels: [],
    count: (em) => new CollectionCountsRepository(em).waitingValidations(),
  },
];

/**
 * Gauges of the whole service, read from the database at every scrape. All API processes report the
 * same values.
 */
@Injectable()
export class ServiceGauges implements OnApplicationBootstrap {
  private reading: Promise<ReadonlyMap<string, readonly CountedRows[]>> | null = null;

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
        for (const { count, ...values } of rows) gauge.set(values, count);
      });
    }
    this.metrics.watch('assay_blob_store_free_bytes', 'Free space on the disk of the blobs', [], async (gauge) => {
      const { bavail, bsize } = await statfs(this.environment.home);
      gauge.set(bavail * bsize);
    });
    this.metrics.watch('assay_database_up', 'Whether the database answers', [], async (gauge) => {
      const failed = await failedProbes({ database: () => probeDatabase(this.orm.em) }, PATIENCE);
      gauge.set(failed.size === 0 ? 1 : 0);
    });
  }

  /**
   * Counts once at a time and shares the result with concurrent callers, because anybody may call
   * it.
   */
  private counted(): Promise<ReadonlyMap<string, readonly CountedRows[]>> {
    this.reading ??= this.count().finally(() => (this.reading = null));
    return this.reading;
  }

  /**
   * Returns the rows by name of the figure. Figures that could not be read are missing, so that the
   * others are reported.
   */
  private async count(): Promise<ReadonlyMap<string, readonly CountedRows[]>> {
    const found = new Map<string, readonly CountedRows[]>();
    let failed = 0;
    for (const { name, count } of COUNTED) {
      const probe = async () => void found.set(name, await withStatementTimeout(this.orm.em, PATIENCE, count));
      failed += (await failedProbes({ [name]: probe }, PATIENCE)).size;
      if (failed === MAX_FAILED) break;
    }
    return found;
  }
}
