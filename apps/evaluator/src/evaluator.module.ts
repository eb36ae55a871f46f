import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { entities } from '@assay/application';
import { ClaimMetrics, EvaluationRuns } from '@assay/evaluation/execution';
import { RunLeases } from '@assay/evaluation/runs';
import { JobsModule } from '@assay/jobs';
import { Metrics, MetricsServer, Tracing } from '@assay/observability';
import { connectionShares, databaseOptions } from '@assay/persistence';
import { Notifications } from '@assay/persistence/outbox';
import { DeploymentLeases } from '@assay/serving';
import { BLOB_STORE, LocalBlobStore, probeRoom, type BlobStore } from '@assay/storage';
import { USER_STORAGE, UserStorageService } from '@assay/submissions/artifacts';
import { CEILINGS, type Ceilings, hostCeilings } from '@assay/tasks';
import { MikroOrmModule } from '@mikro-orm/nestjs';
import { EntityManager, PostgreSqlDriver } from '@mikro-orm/postgresql';
import { Module, type DynamicModule } from '@nestjs/common';
import { EvaluatorSettings } from './host/evaluator-settings.js';
import { EvaluatorHealth } from './host/evaluator-health.js';
import { HostMaintenance } from './host/host-maintenance.js';
import { ModelHost } from './host/model-host.js';
import { SandboxMetrics } from './host/sandbox-metrics.js';
import { StoredModelImages } from './admission/stored-model-images.js';
import { DeploymentHost } from './serving/deployment-host.js';
import { DeploymentProcessor } from './processors/deployment.processor.js';
import { QueuedRuns } from './host/queued-runs.js';
import type { ModelImages } from './run/session/model-images.js';
import { runStages } from './run/run-stages.js';

const MODEL_IMAGES = Symbol('ModelImages');

/** The evaluator process of a host: leases runs, drives sandboxes and serves target models. */
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
          // only to check that the queues answer
          queues: ['placement'],
        }),
      ],
      providers: [
        { provide: EvaluatorSettings, useValue: settings },
        Metrics,
        { provide: SandboxMetrics, inject: [Metrics], useFactory: (metrics: Metrics) => new SandboxMetrics(metrics) },
        {
          provide: Tracing,
          useFactory: () =>
            Tracing.start({ service: 'assay-evaluator', instance: settings.instance, ...settings.tracing }),
        },
        EvaluatorHealth,
        {
          provide: MetricsServer,
          inject: [Metrics, EvaluatorHealth],
          useFactory: (metrics: Metrics, { parts }: EvaluatorHealth) =>
            new MetricsServer(metrics, parts, settings.metrics),
        },
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
            new RunLeases(em, settings.instance, { leaseSeconds: settings.leaseSeconds }),
        },
        {
          provide: DeploymentLeases,
          inject: [EntityManager],
          useFactory: (em: EntityManager) =>
            new DeploymentLeases(em, settings.instance, { leaseSeconds: settings.leaseSeconds }),
        },
        {
          provide: ModelHost,
          inject: [SandboxMetrics, RunLeases, DeploymentLeases],
          useFactory: (metrics: SandboxMetrics, ...leases: [RunLeases, DeploymentLeases]) =>
            ModelHost.start(settings, leases, metrics),
        },
        {
          provide: MODEL_IMAGES,
          inject: [ModelHost],
          useFactory: ({ driver, runner }: ModelHost) =>
            new StoredModelImages({ driver, runner, workFolder: settings.workFolder }),
        },
        {
          provide: EvaluationRuns,
          inject: [
            EntityManager,
            RunLeases,
            BLOB_STORE,
            ModelHost,
            MODEL_IMAGES,
            Metrics,
            CEILINGS,
            UserStorageService,
          ],
          useFactory: (
            em: EntityManager,
            leases: RunLeases,
            blobs: BlobStore,
            host: ModelHost,
            images: ModelImages,
            metrics: Metrics,
            ceilings: Ceilings,
            storage: UserStorageService,
          ) => {
            const { workFolder, measuring } = settings;
            const { driver, runner } = host;
            const stages = runStages({ em, driver, runner, blobs, workFolder, measuring, images, storage });
            const claims = new ClaimMetrics(metrics, leases);
            return new EvaluationRuns(em, leases, stages, workFolder, {
              onClaimEnded: (...ended) => claims.claimEnded(...ended),
              expectAble: async (kind) => {
                if (kind === 'predictions') throw new Error('a worker scores predictions files');
                await probeRoom(join(settings.home, 'blobs'));
                await host.probe();
              },
              ceilings,
            });
          },
        },
        {
          provide: QueuedRuns,
          inject: [EntityManager, Notifications, EvaluationRuns],
          useFactory: (em: EntityManager, notifications: Notifications, runs: EvaluationRuns) =>
            new QueuedRuns({ em, notifications, runs, concurrency: settings.runConcurrency }),
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
        { provide: USER_STORAGE, useValue: settings.userStorage },
        UserStorageService,
        DeploymentProcessor,
        HostMaintenance,
      ],
    };
  }
}
