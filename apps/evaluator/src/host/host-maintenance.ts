import { Heartbeat } from '@assay/evaluation';
import { RUN_CHANNEL, RunLeases } from '@assay/evaluation/runs';
import { RepeatedWork } from '@assay/jobs';
import { Notifications } from '@assay/persistence/outbox';
import { DEPLOYMENT_CHANNEL, DeploymentLeases } from '@assay/serving';
import { EntityManager } from '@mikro-orm/postgresql';
import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { DeploymentHost } from '../serving/deployment-host.js';
import { EvaluatorHealth } from './evaluator-health.js';
import { EvaluatorSettings } from './evaluator-settings.js';
import { GoneEvaluatorRepository } from './gone-evaluator.repository.js';
import { ModelHost } from './model-host.js';
import { QueuedRuns } from './queued-runs.js';

const LONGEST_MILLISECONDS = 15_000;

/** The maintenance of a host: reports its health, listens for lost leases and sweeps sandboxes. */
@Injectable()
export class HostMaintenance implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  private readonly logger = new Logger(HostMaintenance.name);
  private readonly work = new RepeatedWork(this.logger);
  private readonly heartbeat: Heartbeat;

  constructor(
    private readonly em: EntityManager,
    private readonly notifications: Notifications,
    private readonly leases: RunLeases,
    private readonly runs: QueuedRuns,
    private readonly host: ModelHost,
    private readonly deploymentLeases: DeploymentLeases,
    private readonly deploymentHost: DeploymentHost,
    private readonly settings: EvaluatorSettings,
    health: EvaluatorHealth,
  ) {
    this.heartbeat = new Heartbeat(em, settings.instance, 'evaluator', health.parts);
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.leases.listen(this.notifications, RUN_CHANNEL);
    await this.deploymentLeases.listen(this.notifications, DEPLOYMENT_CHANNEL);
    await this.heartbeat.start();
    await this.work.attempt(() => this.heartbeat.beat());
    // with short leases, as often as they are renewed
    const often = Math.min(LONGEST_MILLISECONDS, this.settings.leaseSeconds * 250);
    this.work.every(often, () => this.heartbeat.beat());
    this.work.every(often, () => this.sweep());
    await this.runs.start();
  }

  /**
   * The first shutdown hook: puts back the runs and deployments that this evaluator holds.
   */
  async onModuleDestroy(): Promise<void> {
    this.work.stop();
    await Promise.all([this.runs.leave(), this.deploymentHost.leave()]);
    await this.work.attempt(() => this.heartbeat.stop());
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.host.close();
    await this.notifications.close();
  }

  private async sweep(): Promise<void> {
    // without the database, no evaluator is assumed to be gone
    const evaluators = new GoneEvaluatorRepository(this.em.fork());
    const gone = await evaluators.names(this.settings.leaseSeconds).catch(() => new Set<string>());
    const live = (): ReadonlySet<string> => new Set([...this.leases.live, ...this.deploymentHost.live]);
    const removed = await this.host.driver.sweep(live, gone);
    if (removed > 0) this.logger.warn(`removed ${removed} leftover sandboxes`);
  }
}
