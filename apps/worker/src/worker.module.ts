import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { entities } from '@assay/application';
import { RoundProgress } from '@assay/collection/rounds';
import { EvaluationRuns } from '@assay/evaluation/execution';
import { RunLeases } from '@assay/evaluation/runs';
import { JobsModule } from '@assay/jobs';
import { seededRng } from '@assay/kernel';
import { BoardMistakes, BoardResamples, LeaderboardPublisher } from '@assay/leaderboard/boards';
import { ResultBundles } from '@assay/leaderboard/results';
import { WebhookSecrets, WebhookTargets } from '@assay/notifications/webhooks';
import { ClaimMetrics, Metrics, MetricsServer, Tracing } from '@assay/observability';
import { connectionShares, databaseOptions } from '@assay/persistence';
import { Notifications } from '@assay/persistence/outbox';
import { BLOB_STORE, LocalBlobStore, probeRoom, type BlobStore } from '@assay/storage';
import { hostCeilings } from '@assay/tasks/limits';
import { BenchmarksService } from '@assay/tasks/benchmarks';
import { DatasetsService, EarlierGoldCounts } from '@assay/tasks/datasets';
import { PerturbationsService } from '@assay/tasks/perturbation';
import { MikroOrmModule } from '@mikro-orm/nestjs';
import { EntityManager, PostgreSqlDriver } from '@mikro-orm/postgresql';
import { Module, type DynamicModule } from '@nestjs/common';
import { Maintenance } from './maintenance/maintenance.js';
import { WorkerInstance } from './maintenance/worker-instance.js';
import { WorkerHealth } from './maintenance/worker-health.js';
import { predictionsStages } from './predictions/predictions-stages.js';
import { AnswersProcessor } from './processors/answers.processor.js';
import { MailProcessor } from './processors/mail.processor.js';
import { PredictionsProcessor } from './processors/predictions.processor.js';
import { PublishProcessor } from './processors/publish.processor.js';
import { RoundProcessor } from './processors/round.processor.js';
import { ScoreProcessor } from './processors/score.processor.js';
import { SignProcessor } from './processors/sign.processor.js';
import { WebhookProcessor } from './processors/webhook.processor.js';
import { AnswerScoring } from './scoring/answer-scoring.js';
import { Rescoring } from './scoring/rescoring.js';
import { Scorer, SCORING_THREADS, ThreadScorer } from './scoring/scorer.js';
import { ResultSigner } from './signing/result-signer.js';
import { nameResolver } from './webhooks/resolve-name.js';
import { WebhookSender } from './webhooks/webhook-sender.js';
import { WorkerMetrics } from './worker-metrics.js';
import { WorkerSettings } from './worker-settings.js';

/** Milliseconds for a webhook delivery, from name resolution to the last byte of the response. */
const WEBHOOK_MILLISECONDS = 15_000;

/**
 * The worker process: checks predictions files, scores the answers of all models, publishes boards, advances rounds,
 * sends mail and webhooks, and does the maintenance. It has no Docker engine and runs no model.
 */
@Module({})
export class WorkerModule {
  static forRoot(settings: WorkerSettings): DynamicModule {
    const share = connectionShares(settings.databaseConnections, settings.processes).worker;
    return {
      module: WorkerModule,
      imports: [
        MikroOrmModule.forRoot({
          driver: PostgreSqlDriver,
          ...databaseOptions({
            url: settings.databaseUrl,
            entities,
            poolMax: share.pool,
            applicationName: 'assay-worker',
          }),
        }),
        JobsModule.forRoot({
          redisUrl: settings.redisUrl,
          databaseUrl: settings.databaseUrl,
          connections: share.queue,
        }),
      ],
      providers: [
        { provide: WorkerSettings, useValue: settings },
        Metrics,
        { provide: WorkerMetrics, inject: [Metrics], useFactory: (metrics: Metrics) => new WorkerMetrics(metrics) },
        {
          provide: Tracing,
          useFactory: () =>
            Tracing.start({ service: 'assay-worker', instance: settings.instance, ...settings.tracing }),
        },
        WorkerHealth,
        {
          provide: MetricsServer,
          inject: [Metrics, WorkerHealth],
          useFactory: (metrics: Metrics, { parts }: WorkerHealth) =>
            new MetricsServer(metrics, parts, settings.metrics),
        },
        {
          provide: BLOB_STORE,
          // creates the folder now; if it is missing later, that is an error
          useFactory: () => LocalBlobStore.open(join(settings.home, 'blobs')),
        },
        {
          provide: Notifications,
          useFactory: () => new Notifications({ url: settings.databaseUrl, applicationName: 'assay-worker-listener' }),
        },
        {
          provide: RunLeases,
          inject: [EntityManager],
          useFactory: (em: EntityManager) =>
            new RunLeases(em, settings.instance, { leaseSeconds: settings.leaseSeconds }),
        },
        {
          provide: WorkerInstance,
          inject: [RunLeases],
          useFactory: (leases: RunLeases) => WorkerInstance.start(settings, leases),
        },
        {
          provide: EvaluationRuns,
          // no run is leased before the leases of a predecessor have expired
          inject: [EntityManager, RunLeases, BLOB_STORE, Metrics, WorkerInstance],
          useFactory: async (em: EntityManager, leases: RunLeases, blobs: BlobStore, metrics: Metrics) => {
            const { workFolder } = settings;
            const claims = new ClaimMetrics(metrics, leases);
            return new EvaluationRuns(em, leases, predictionsStages({ em, blobs, workFolder }), workFolder, {
              onClaimEnded: (...ended) => claims.claimEnded(...ended),
              expectAble: () => probeRoom(join(settings.home, 'blobs')),
              ceilings: await hostCeilings(settings.ceilings, settings.home),
            });
          },
        },
        {
          provide: WebhookSender,
          inject: [EntityManager, WorkerMetrics],
          useFactory: async (em: EntityManager, metrics: WorkerMetrics) => {
            const targets = new WebhookTargets(settings.webhooks);
            const post = { targets, resolve: nameResolver(), milliseconds: WEBHOOK_MILLISECONDS };
            const secrets = await WebhookSecrets.stored(settings.home);
            return new WebhookSender(em, secrets, post, seededRng(randomUUID()), metrics);
          },
        },
        BenchmarksService,
        BoardMistakes,
        BoardResamples,
        EarlierGoldCounts,
        LeaderboardPublisher,
        {
          provide: Scorer,
          useFactory: () => new ThreadScorer(join(settings.home, 'blobs'), SCORING_THREADS),
        },
        AnswerScoring,
        Rescoring,
        DatasetsService,
        PerturbationsService,
        ResultBundles,
        ResultSigner,
        RoundProgress,
        AnswersProcessor,
        PredictionsProcessor,
        PublishProcessor,
        RoundProcessor,
        ScoreProcessor,
        SignProcessor,
        MailProcessor,
        WebhookProcessor,
        Maintenance,
      ],
    };
  }
}
