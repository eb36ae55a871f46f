import { join } from 'node:path';
import { collectionEntities } from '@assay/collection';
import { evaluationEntities, RunLeases } from '@assay/evaluation';
import { identityEntities } from '@assay/identity';
import { JobsModule } from '@assay/jobs';
import { BoardResamples, LeaderboardPublisher, leaderboardEntities } from '@assay/leaderboard';
import { connectionShares, databaseOptions, Notifications, OutboxEvent } from '@assay/persistence';
import { BLOB_STORE, LocalBlobStore, type BlobStore } from '@assay/storage';
import { submissionsEntities } from '@assay/submissions';
import { BenchmarksService, tasksEntities } from '@assay/tasks';
import { MikroOrmModule } from '@mikro-orm/nestjs';
import { EntityManager, PostgreSqlDriver } from '@mikro-orm/postgresql';
import { Module, type DynamicModule } from '@nestjs/common';
import { EvaluatorSettings } from './host/evaluator-settings.js';
import { ModelHost } from './host/model-host.js';
import { Upkeep } from './host/upkeep.js';
import { AdmissionProcessor } from './processors/admission.processor.js';
import { PublishProcessor } from './processors/publish.processor.js';
import { RunProcessor } from './processors/run.processor.js';
import { ScoreProcessor } from './processors/score.processor.js';
import { Rescoring } from './rescoring/rescoring.js';
import { EvaluationRuns } from './run/evaluation-runs.js';
import { runStages } from './run/run-stages.js';

/** The worker: takes runs, drives sandboxes, publishes boards. */
@Module({})
export class EvaluatorModule {
  static forRoot(settings: EvaluatorSettings): DynamicModule {
    const share = connectionShares(settings.databaseConnections, settings.processes).evaluator;
    return {
      module: EvaluatorModule,
      imports: [
        MikroOrmModule.forRoot({
          driver: PostgreSqlDriver,
          ...databaseOptions({
            url: settings.databaseUrl,
            entities: [
              ...identityEntities,
              ...tasksEntities,
              ...submissionsEntities,
              ...evaluationEntities,
              ...leaderboardEntities,
              ...collectionEntities,
              OutboxEvent,
            ],
            poolMax: share.pool,
            applicationName: 'assay-evaluator',
          }),
        }),
        JobsModule.forRoot({
          redisUrl: settings.redisUrl,
          databaseUrl: settings.databaseUrl,
          connections: share.queue,
        }),
      ],
      providers: [
        { provide: EvaluatorSettings, useValue: settings },
        { provide: BLOB_STORE, useFactory: () => new LocalBlobStore(join(settings.home, 'blobs')) },
        {
          provide: Notifications,
          useFactory: () =>
            new Notifications({ url: settings.databaseUrl, applicationName: 'assay-evaluator-listener' }),
        },
        {
          provide: RunLeases,
          inject: [EntityManager],
          useFactory: (em: EntityManager) =>
            new RunLeases(em, settings.instance, {
              leaseSeconds: settings.leaseSeconds,
              renewSeconds: settings.leaseSeconds / 4,
            }),
        },
        {
          provide: ModelHost,
          inject: [RunLeases],
          useFactory: (leases: RunLeases) => ModelHost.start(settings, leases),
        },
        {
          provide: EvaluationRuns,
          inject: [EntityManager, RunLeases, BLOB_STORE, ModelHost],
          useFactory: (em: EntityManager, leases: RunLeases, blobs: BlobStore, { driver, runner }: ModelHost) => {
            const { workFolder, measuring } = settings;
            const stages = runStages({ em, driver, runner, blobs, workFolder, measuring });
            return new EvaluationRuns(em, leases, stages, workFolder);
          },
        },
        BenchmarksService,
        BoardResamples,
        LeaderboardPublisher,
        AdmissionProcessor,
        RunProcessor,
        PublishProcessor,
        Rescoring,
        ScoreProcessor,
        Upkeep,
      ],
    };
  }
}
