import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { entities } from '@assay/application';
import { RoundProgress } from '@assay/collection/rounds';
import { RunLeases } from '@assay/evaluation/runs';
import { JobsModule } from '@assay/jobs';
import { seededRng } from '@assay/kernel';
import { BoardMistakes, BoardResamples, LeaderboardPublisher } from '@assay/leaderboard/boards';
import { WebhookSecrets, WebhookTargets } from '@assay/notifications/webhooks';
import { Metrics, Tracing } from '@assay/observability';
import { connectionShares, databaseOptions } from '@assay/persistence';
import { Notifications } from '@assay/persistence/outbox';
import { DeploymentLeases } from '@assay/serving';
import { BLOB_STORE, LocalBlobStore, probeRoom, type BlobStore } from '@assay/storage';
import { USER_STORAGE, UserStorageService } from '@assay/submissions/artifacts';
import { CEILINGS, type Ceilings, hostCeilings } from '@assay/tasks';
import { BenchmarksService } from '@assay/tasks/benchmarks';
import { DatasetsService } from '@assay/tasks/datasets';
import { PerturbationsService } from '@assay/tasks/perturbation';
import { MikroOrmModule } from '@mikro-orm/nestjs';
import { EntityManager, PostgreSqlDriver } from '@mikro-orm/postgresql';
import { Module, type DynamicModule } from '@nestjs/common';
import { EvaluatorSettings } from './host/evaluator-settings.js';
import { EvaluatorHealth } from './host/evaluator-health.js';
import { MetricsServer } from './host/metrics-server.js';
import { ModelHost } from './host/model-host.js';
import { Maintenance } from './host/maintenance.js';
import { WorkMetrics } from './host/work-metrics.js';
import { StoredModelImages } from './admission/stored-model-images.js';
import { DeploymentHost } from './serving/deployment-host.js';
import { AdmissionProcessor } from './processors/admission.processor.js';
import { DeploymentProcessor } from './processors/deployment.processor.js';
import { MailProcessor } from './processors/mail.processor.js';
import { PublishProcessor } from './processors/publish.processor.js';
import { RoundProcessor } from './processors/round.processor.js';
import { RunProcessor } from './processors/run.processor.js';
import { ScoreProcessor } from './processors/score.processor.js';
import { WebhookProcessor } from './processors/webhook.processor.js';
import { Rescoring } from './rescoring/rescoring.js';
import { EvaluationRuns, type ExpectAble, type OnClaimEnded } from './run/evaluation-runs.js';
import type { ModelImages } from './run/session/model-images.js';
import { runStages } from './run/run-stages.js';
import { nameResolver } from './webhooks/resolve-name.js';
import { WebhookSender } from './webhooks/webhook-sender.js';

/** Milliseconds for a webhook delivery, from name resolution to the last byte of the response. */
const WEBHOOK_MILLISECONDS = 15_000;
const MODEL_IMAGES = Symbol('ModelImages');

/** The evaluator process: leases runs, drives sandboxes, serves target models, publishes boards. */
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
            entities,
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
        Metrics,
        { provide: WorkMetrics, inject: [Metrics], useFactory: (metrics: Metrics) => new WorkMetrics(metrics) },
        {
          provide: Tracing,
          useFactory: () =>
            Tracing.start({ service: 'assay-evaluator', instance: settings.instance, ...settings.tracing }),
        },
        EvaluatorHealth,
        MetricsServer,
        {
          provide: BLOB_STORE,
          // creates the folder now; if it is missing later, that is an error
          useFactory: () => LocalBlobStore.open(join(settings.home, 'blobs')),
        },
        {
          provide: CEILINGS,
          useFactory: async () => {
            await mkdir(settings.home, { recursive: true });
            return hostCeilings(settings.ceilings, settings.home);
          },
        },
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
          provide: DeploymentLeases,
          inject: [EntityManager],
          useFactory: (em: EntityManager) =>
            new DeploymentLeases(em, settings.instance, {
              leaseSeconds: settings.leaseSeconds,
              renewSeconds: settings.leaseSeconds / 4,
            }),
        },
        {
          provide: ModelHost,
          inject: [WorkMetrics, RunLeases, DeploymentLeases],
          useFactory: (metrics: WorkMetrics, ...leases: [RunLeases, DeploymentLeases]) =>
            ModelHost.start(settings, leases, metrics),
        },
        {
          provide: MODEL_IMAGES,
          inject: [BLOB_STORE, ModelHost],
          useFactory: (blobs: BlobStore, { driver, runner }: ModelHost) =>
            new StoredModelImages({ driver, runner, blobs, workFolder: settings.workFolder }),
        },
        {
          provide: EvaluationRuns,
          inject: [
            EntityManager,
            RunLeases,
            BLOB_STORE,
            ModelHost,
            MODEL_IMAGES,
            WorkMetrics,
            CEILINGS,
            UserStorageService,
          ],
          useFactory: (
            em: EntityManager,
            leases: RunLeases,
            blobs: BlobStore,
            host: ModelHost,
            images: ModelImages,
            metrics: WorkMetrics,
            ceilings: Ceilings,
            storage: UserStorageService,
          ) => {
            const { workFolder, measuring } = settings;
            const { driver, runner } = host;
            const stages = runStages({ em, driver, runner, blobs, workFolder, measuring, images, storage });
            const onClaimEnded: OnClaimEnded = (...ended) => metrics.claimEnded(...ended);
            const expectAble: ExpectAble = async (kind) => {
              await probeRoom(join(settings.home, 'blobs'));
              if (kind !== 'predictions') await host.probe();
            };
            return new EvaluationRuns(em, leases, stages, workFolder, { onClaimEnded, expectAble, ceilings });
          },
        },
        {
          provide: DeploymentHost,
          inject: [EntityManager, DeploymentLeases, ModelHost, MODEL_IMAGES, BLOB_STORE, CEILINGS],
          useFactory: (
            em: EntityManager,
            leases: DeploymentLeases,
            { driver }: ModelHost,
            images: ModelImages,
            blobs: BlobStore,
            ceilings: Ceilings,
          ) => new DeploymentHost({ em, leases, driver, images, blobs, ceilings, settings: settings.deployments }),
        },
        {
          provide: WebhookSender,
          inject: [EntityManager, WorkMetrics],
          useFactory: async (em: EntityManager, metrics: WorkMetrics) => {
            const targets = new WebhookTargets(settings.webhooks);
            const post = { targets, resolve: nameResolver(), milliseconds: WEBHOOK_MILLISECONDS };
            const secrets = await WebhookSecrets.stored(settings.home);
            return new WebhookSender(em, secrets, post, seededRng(randomUUID()), metrics);
          },
        },
        { provide: USER_STORAGE, useValue: settings.userStorage },
        UserStorageService,
        BenchmarksService,
        BoardMistakes,
        BoardResamples,
        LeaderboardPublisher,
        AdmissionProcessor,
        RunProcessor,
        PublishProcessor,
        DeploymentProcessor,
        Rescoring,
        DatasetsService,
        PerturbationsService,
        RoundProgress,
        RoundProcessor,
        ScoreProcessor,
        MailProcessor,
        WebhookProcessor,
        Maintenance,
      ],
    };
  }
}
