import { RepeatedWork } from '@assay/observability';
import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { ChangedWarnings } from '../gateway/changed-warnings.js';
import { LeasedRuns } from '../gateway/leased-runs.js';
import { DeploymentHost } from '../serving/deployment-host.js';
import { ModelHost } from './model-host.js';
import { PresenceReports } from './presence-reports.js';

/** Seconds between two reports, unless the service says otherwise. */
const REPORT_SECONDS = 15;
const WITHOUT_GVISOR =
  'the Docker engine has no runtime runsc (gVisor): models run under runc here, also on hidden data, and this host gets no runs of tasks with runtime: runsc';

/** The maintenance of a host: reports its presence, leases runs and target models, and sweeps sandboxes. */
@Injectable()
export class HostMaintenance implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  private readonly logger = new Logger(HostMaintenance.name);
  private readonly work = new RepeatedWork(this.logger);
  private readonly refusals = new ChangedWarnings(this.logger);
  private readonly missing = new ChangedWarnings(this.logger);
  private readonly leaving = new AbortController();
  private reportSeconds = REPORT_SECONDS;
  /** The container runtimes of the engine when this host could last run models. */
  private runtimes: readonly string[] = [];
  /** Why this host cannot run models now. */
  private problem: string | null = null;

  constructor(
    private readonly reports: PresenceReports,
    private readonly runs: LeasedRuns,
    private readonly deployments: DeploymentHost,
    private readonly host: ModelHost,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.work.attempt(() => this.maintain());
    this.work.every(this.reportSeconds * 1000, () => this.maintain());
    this.runs.start();
    this.deployments.start();
  }

  /** The first shutdown hook: returns the runs and target models that this evaluator holds to the queue. */
  async onModuleDestroy(): Promise<void> {
    this.work.stop();
    this.leaving.abort();
    await Promise.all([this.runs.leave(), this.deployments.leave()]);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.host.close();
  }

  /** Reports the presence of this evaluator, and removes sandboxes that nobody needs. */
  private async maintain(): Promise<void> {
    const gone = await this.reportPresence();
    if (this.problem !== null) return;
    const live = () => this.runs.live.union(this.deployments.live);
    const removed = await this.host.driver.sweep(live, new Set(gone));
    if (removed > 0) this.logger.warn(`removed ${removed} leftover sandboxes`);
  }

  /** Returns the names of evaluators whose sandboxes on this engine are to be removed. */
  private async reportPresence(): Promise<readonly string[]> {
    try {
      const neighbours = await this.look();
      const { gone = [], reportSeconds = REPORT_SECONDS } = await this.reports.send(
        { problem: this.problem, runtimes: this.runtimes, neighbours },
        this.leaving.signal,
      );
      this.refusals.clear();
      this.reportSeconds = reportSeconds;
      return gone;
    } catch (error) {
      // without the service, no evaluator is assumed to be gone
      if (!this.leaving.signal.aborted) this.refusals.warn((error as Error).message);
      return [];
    }
  }

  /** Looks at the engine and the disk. Returns the names of other evaluators that use it. */
  private async look(): Promise<readonly string[]> {
    try {
      this.runtimes = await this.host.probe();
      if (this.runtimes.includes('runsc')) this.missing.clear();
      else this.missing.warn(WITHOUT_GVISOR);
      const neighbours = await this.host.driver.neighbours();
      this.problem = null;
      return neighbours;
    } catch (error) {
      this.problem = (error as Error).message;
      return [];
    }
  }
}
