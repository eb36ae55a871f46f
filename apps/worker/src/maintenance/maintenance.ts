import { join } from 'node:path';
import { NoticeDispatcher, WebhookDispatcher } from '@assay/application';
import { DeploymentReconciler, enqueueRounds, RoundsDispatcher } from '@assay/collection/rounds';
import { Heartbeat, OutboxDispatcher, Reconciler } from '@assay/evaluation';
import { EvaluationRuns } from '@assay/evaluation/execution';
import { RUN_CHANNEL, RunLeases } from '@assay/evaluation/runs';
import { Jobs, limitQueueTimes } from '@assay/jobs';
import { BoardRevisionRepository } from '@assay/leaderboard/boards';
import { enqueueConfirmations, enqueueMails } from '@assay/notifications';
import { enqueueWebhooks, sweepDeliveries } from '@assay/notifications/webhooks';
import { failpoint, RepeatedWork } from '@assay/observability';
import { Notifications, type OutboxRecord, OutboxRelay } from '@assay/persistence/outbox';
import { BLOB_STORE, type BlobStore, OrphanMarks } from '@assay/storage';
import { EntityManager } from '@mikro-orm/postgresql';
import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { WorkerMetrics } from '../worker-metrics.js';
import { WorkerSettings } from '../worker-settings.js';
import { GarbageCollector } from './garbage-collector.js';
import { WorkerHealth } from './worker-health.js';
import { WorkerInstance } from './worker-instance.js';

const RECONCILE_MILLISECONDS = 15_000;
const SWEEP_MILLISECONDS = 60_000;
/** Milliseconds (1 h). Rare, because garbage collection reads the names of all blobs. */
const CLEAR_MILLISECONDS = 3600_000;
/** Milliseconds. The minimum delay before the first retry of a delivery. */
const WEBHOOK_MILLISECONDS = 5000;

type OutboxHandler = (event: OutboxRecord) => Promise<void>;

/**
 * The maintenance of the service: relays the outbox, reconciles runs and deployments, enqueues
 * overdue jobs and collects garbage. Reports the health of this worker.
 */
@Injectable()
export class Maintenance implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  private readonly logger = new Logger(Maintenance.name);
  private readonly work = new RepeatedWork(this.logger);
  private readonly heartbeat: Heartbeat;
  private readonly relay: OutboxRelay;
  private readonly reconciler: Reconciler;
  private readonly deployments: DeploymentReconciler;
  private readonly clearing: GarbageCollector;

  constructor(
    private readonly em: EntityManager,
    private readonly jobs: Jobs,
    private readonly notifications: Notifications,
    private readonly leases: RunLeases,
    private readonly runs: EvaluationRuns,
    private readonly instance: WorkerInstance,
    private readonly settings: WorkerSettings,
    private readonly metrics: WorkerMetrics,
    health: WorkerHealth,
    @Inject(BLOB_STORE) blobs: BlobStore,
  ) {
    metrics.watch(jobs);
    this.heartbeat = new Heartbeat(em, settings.instance, health.parts);
    this.deployments = new DeploymentReconciler(em, settings.deploymentCopies);
    // every handler receives every event, in this order; if one throws, all receive the event again
    const handlers: readonly OutboxHandler[] = [
      new OutboxDispatcher(em, jobs).dispatch,
      new RoundsDispatcher(em, jobs).dispatch,
      this.deployments.dispatch,
      new NoticeDispatcher(em, jobs, settings.mail !== null).dispatch,
      new WebhookDispatcher(em, jobs).dispatch,
    ];
    const dispatch: OutboxHandler = async (event) => {
      for (const handler of handlers) await handler(event);
      failpoint('after-enqueue');
    };
    this.relay = new OutboxRelay(em, notifications, dispatch, {
      onError: (error) => this.logger.warn(`an event could not be handled, will retry: ${(error as Error).message}`),
    });
    this.reconciler = new Reconciler(em, jobs);
    this.clearing = new GarbageCollector({
      em,
      blobs,
      marks: new OrphanMarks(join(settings.home, 'blobs', 'orphans'), blobs),
      workFolders: settings.workFolders,
      instance: settings.instance,
      graceMilliseconds: settings.orphanSeconds * 1000,
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.leases.listen(this.notifications, RUN_CHANNEL);
    await this.heartbeat.start();
    await this.work.attempt(() => this.heartbeat.beat());
    await this.relay.start();
    await this.work.attempt(() => this.reconcile());
    await this.work.attempt(() => this.reconcileDeployments());
    const { work, settings } = this;
    // with short leases, as often as they are renewed, so that expired ones are noticed soon
    const often = Math.min(RECONCILE_MILLISECONDS, settings.leaseSeconds * 250);
    work.every(often, () => this.heartbeat.beat());
    work.every(often, () => this.reconcile());
    work.every(often, () => this.reconcileDeployments());
    work.every(often, () => limitQueueTimes(this.em.fork()));
    work.every(RECONCILE_MILLISECONDS, () => enqueueRounds(this.em, this.jobs));
    work.every(Math.min(CLEAR_MILLISECONDS, settings.orphanSeconds * 250), () => this.clear());
    if (settings.mail) {
      work.every(SWEEP_MILLISECONDS, () => enqueueMails(this.em.fork(), this.jobs));
      work.every(SWEEP_MILLISECONDS, () => enqueueConfirmations(this.em.fork(), this.jobs));
    }
    work.every(WEBHOOK_MILLISECONDS, () => enqueueWebhooks(this.em.fork(), this.jobs));
    work.every(SWEEP_MILLISECONDS, () => sweepDeliveries(this.em.fork()));
    work.every(SWEEP_MILLISECONDS, () => this.enqueueOverdueBoards());
  }

  /** The first shutdown hook: enqueues nothing more, and puts back the runs that this worker holds. */
  async onModuleDestroy(): Promise<void> {
    this.work.stop();
    await this.relay.stop();
    await this.runs.leave();
    await this.work.attempt(() => this.heartbeat.stop());
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.instance.close();
    await this.notifications.close();
  }

  private async reconcile(): Promise<void> {
    const mended = await this.reconciler.reconcile().catch((error: unknown) => {
      this.metrics.reconcilerEnded('failed');
      throw error;
    });
    this.metrics.reconcilerEnded(mended ? 'done' : 'busy', { ...mended });
    if (mended && mended.failed + mended.requeued + mended.enqueued > 0)
      this.logger.log({ message: 'reconciled', ...mended });
  }

  private async reconcileDeployments(): Promise<void> {
    const changed = await this.deployments.reconcile();
    if (changed && changed.made + changed.stopped + changed.requeued > 0) {
      this.logger.log({ message: 'reconciled deployments', ...changed });
    }
  }

  /**
   * Enqueues boards whose benchmark version has passed its deadline: it is released then even if
   * nothing else happens on its task.
   */
  private async enqueueOverdueBoards(): Promise<void> {
    for (const taskId of await new BoardRevisionRepository(this.em.fork()).overdueTasks()) {
      await this.jobs.enqueue('publish', { taskId }, { jobId: `publish-overdue-${taskId}` });
    }
  }

  private async clear(): Promise<void> {
    const cleared = await this.clearing.clear(new Date());
    const { blobs, partial, work } = cleared;
    this.metrics.cleared(cleared);
    if ((blobs?.files ?? 0) + partial + work > 0) this.logger.log({ message: 'cleared', ...blobs, partial, work });
  }
}
