import { join } from 'node:path';
import { NoticeDispatcher, WebhookDispatcher } from '@assay/application';
import { DeploymentReconciler, enqueueRounds, RoundsDispatcher } from '@assay/collection/rounds';
import { EvaluatorPresenceRepository, OutboxDispatcher, Reconciler } from '@assay/evaluation';
import { RUN_CHANNEL, RunLeases } from '@assay/evaluation/runs';
import { Jobs, limitQueueTimes } from '@assay/jobs';
import { BoardRevisionRepository } from '@assay/leaderboard/boards';
import { enqueueConfirmations, enqueueMails } from '@assay/notifications';
import { enqueueWebhooks, sweepDeliveries } from '@assay/notifications/webhooks';
import { Notifications, type OutboxRecord, OutboxRelay } from '@assay/persistence/outbox';
import { DEPLOYMENT_CHANNEL, DeploymentLeases } from '@assay/serving';
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
import { failpoint } from '../failpoint.js';
import { EvaluationRuns } from '../run/evaluation-runs.js';
import { DeploymentHost } from '../serving/deployment-host.js';
import { EvaluatorHealth } from './evaluator-health.js';
import { GarbageCollector } from './garbage-collector.js';
import { EvaluatorSettings } from './evaluator-settings.js';
import { GoneEvaluatorRepository } from './gone-evaluator.repository.js';
import { ModelHost } from './model-host.js';
import { WorkMetrics } from './work-metrics.js';

const RECONCILE_MILLISECONDS = 15_000;
const SWEEP_MILLISECONDS = 60_000;
/** Milliseconds (1 h). Rare, because garbage collection reads the names of all blobs. */
const CLEAR_MILLISECONDS = 3600_000;
/** Milliseconds. The minimum delay before the first retry of a delivery. */
const WEBHOOK_MILLISECONDS = 5000;

type OutboxHandler = (event: OutboxRecord) => Promise<void>;

/**
 * The maintenance work of an evaluator: relays the outbox, reconciles runs and deployments, listens
 * for lost leases, reports its health, enqueues overdue jobs, sweeps sandboxes and collects
 * garbage.
 */
@Injectable()
export class Maintenance implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  private readonly logger = new Logger(Maintenance.name);
  private readonly relay: OutboxRelay;
  private readonly reconciler: Reconciler;
  private readonly deployments: DeploymentReconciler;
  private readonly clearing: GarbageCollector;
  private readonly timers: NodeJS.Timeout[] = [];

  constructor(
    private readonly em: EntityManager,
    private readonly jobs: Jobs,
    private readonly notifications: Notifications,
    private readonly leases: RunLeases,
    private readonly runs: EvaluationRuns,
    private readonly host: ModelHost,
    private readonly deploymentLeases: DeploymentLeases,
    private readonly deploymentHost: DeploymentHost,
    private readonly settings: EvaluatorSettings,
    private readonly metrics: WorkMetrics,
    private readonly health: EvaluatorHealth,
    @Inject(BLOB_STORE) blobs: BlobStore,
  ) {
    metrics.watch(jobs, leases);
    this.deployments = new DeploymentReconciler(em, jobs, settings.deployments.copies);
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
    await this.notifications.subscribe(
      RUN_CHANNEL,
      (runId) => void this.leases.check(runId),
      () => void this.leases.checkAll(),
    );
    await this.notifications.subscribe(
      DEPLOYMENT_CHANNEL,
      (deploymentId) => void this.deploymentLeases.check(deploymentId),
      () => void this.deploymentLeases.checkAll(),
    );
    await new EvaluatorPresenceRepository(this.em.fork()).recordStart(this.settings.instance);
    await this.attempt(() => this.storeHealth());
    await this.relay.start();
    await this.attempt(() => this.reconcile());
    await this.attempt(() => this.reconcileDeployments());
    // with short leases, as often as they are renewed, so that expired ones are noticed soon
    const often = Math.min(RECONCILE_MILLISECONDS, this.settings.leaseSeconds * 250);
    this.every(often, () => this.storeHealth());
    this.every(often, () => this.reconcile());
    this.every(often, () => this.reconcileDeployments());
    this.every(often, () => this.sweep());
    this.every(often, () => limitQueueTimes(this.em.fork()));
    this.every(RECONCILE_MILLISECONDS, () => enqueueRounds(this.em, this.jobs));
    this.every(Math.min(CLEAR_MILLISECONDS, this.settings.orphanSeconds * 250), () => this.clear());
    if (this.settings.mail) {
      this.every(SWEEP_MILLISECONDS, () => enqueueMails(this.em.fork(), this.jobs));
      this.every(SWEEP_MILLISECONDS, () => enqueueConfirmations(this.em.fork(), this.jobs));
    }
    this.every(WEBHOOK_MILLISECONDS, () => enqueueWebhooks(this.em.fork(), this.jobs));
    this.every(SWEEP_MILLISECONDS, () => sweepDeliveries(this.em.fork()));
    this.every(SWEEP_MILLISECONDS, () => this.enqueueOverdueBoards());
  }

  /**
   * The first shutdown hook: enqueues nothing more, and puts back the runs and deployments that
   * this evaluator holds.
   */
  async onModuleDestroy(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    await this.relay.stop();
    await Promise.all([this.runs.leave(), this.deploymentHost.leave()]);
    await this.attempt(() => new EvaluatorPresenceRepository(this.em.fork()).remove(this.settings.instance));
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.host.close();
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

  /** Stores the health of this evaluator, which the API reads for its readiness check. */
  private async storeHealth(): Promise<void> {
    const problems = (await this.health.parts()).filter(({ ready }) => !ready).map(({ name }) => name);
    if (problems.length > 0) this.logger.warn(`not ready: ${problems.join(', ')}`);
    await new EvaluatorPresenceRepository(this.em.fork()).recordSeen(this.settings.instance, problems);
  }

  private async reconcileDeployments(): Promise<void> {
    const changed = await this.deployments.reconcile();
    if (changed && changed.made + changed.stopped + changed.requeued + changed.enqueued > 0) {
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

  private async sweep(): Promise<void> {
    // without the database, no evaluator is assumed to be gone
    const evaluators = new GoneEvaluatorRepository(this.em.fork());
    const gone = await evaluators.names(this.settings.leaseSeconds).catch(() => new Set<string>());
    const live = (): ReadonlySet<string> => new Set([...this.leases.live, ...this.deploymentHost.live]);
    const removed = await this.host.driver.sweep(live, gone);
    if (removed > 0) this.logger.warn(`removed ${removed} leftover sandboxes`);
  }

  private async clear(): Promise<void> {
    const cleared = await this.clearing.clear(new Date());
    const { blobs, partial, work } = cleared;
    this.metrics.cleared(cleared);
    if ((blobs?.files ?? 0) + partial + work > 0) this.logger.log({ message: 'cleared', ...blobs, partial, work });
  }

  private every(milliseconds: number, work: () => Promise<void>): void {
    this.timers.push(setInterval(() => void this.attempt(work), milliseconds));
  }

  /** Runs periodic work. A failure is logged, and the work is repeated at its next time. */
  private async attempt(work: () => Promise<void>): Promise<void> {
    await work().catch((error: unknown) => this.logger.warn((error as Error).message));
  }
}
