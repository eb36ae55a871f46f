import { readFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { PresenceReported, type ReportPresence } from '@assay/contracts/evaluators';
import { RepeatedWork } from '@assay/observability';
import { projectFolder } from '@assay/sandbox/docker';
import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { ChangedWarnings } from '../gateway/changed-warnings.js';
import { PROTOCOL } from '../gateway/protocol.js';
import { LeasedRuns } from '../gateway/leased-runs.js';
import { ServiceClient } from '../gateway/service-client.js';
import { DeploymentHost } from '../serving/deployment-host.js';
import { ModelHost } from './model-host.js';
import { EvaluatorSettings } from './evaluator-settings.js';

/** Seconds between two reports, unless the service says otherwise. */
const REPORT_SECONDS = 15;
const MOST_RUNTIMES = 20;
const MOST_NEIGHBOURS = 1000;
const LONGEST_PROBLEM = 1000;
/** The instruction sets that Docker names otherwise than Node.js. */
const DOCKER_NAMES: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' };

/** The maintenance of a host: reports its presence, leases runs and target models, and sweeps sandboxes. */
@Injectable()
export class HostMaintenance implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  private readonly logger = new Logger(HostMaintenance.name);
  private readonly work = new RepeatedWork(this.logger);
  private readonly refusals = new ChangedWarnings(this.logger);
  private readonly leaving = new AbortController();
  private readonly version = versionOf(readFileSync(join(projectFolder(), 'package.json'), 'utf8'));
  private reportSeconds = REPORT_SECONDS;
  /** The container runtimes of the engine when it last answered. */
  private runtimes: readonly string[] = [];
  /** Why this host cannot run models now. */
  private problem: string | null = null;

  constructor(
    private readonly client: ServiceClient,
    private readonly runs: LeasedRuns,
    private readonly deployments: DeploymentHost,
    private readonly host: ModelHost,
    private readonly settings: EvaluatorSettings,
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
      const body = await this.presence();
      const report = { method: 'PUT', path: '/presence', body } as const;
      const { gone = [], reportSeconds = REPORT_SECONDS } = await this.client.requestOnce(
        report,
        PresenceReported,
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

  private async presence(): Promise<ReportPresence> {
    const neighbours = await this.look();
    const architecture = DOCKER_NAMES[process.arch] ?? process.arch;
    const host = { architecture, cpus: cpus().length, memoryBytes: totalmem(), runtimes: [...this.runtimes] };
    const { problem, version } = this;
    return { protocol: PROTOCOL, version, host, slots: this.settings.runConcurrency, problem, neighbours };
  }

  /** Looks at the engine. Returns the names of other evaluators that use it. */
  private async look(): Promise<string[]> {
    try {
      this.runtimes = (await this.host.runtimes()).slice(0, MOST_RUNTIMES);
      const neighbours = await this.host.driver.neighbours();
      this.problem = null;
      return neighbours.slice(0, MOST_NEIGHBOURS);
    } catch (error) {
      this.problem = (error as Error).message.slice(0, LONGEST_PROBLEM);
      return [];
    }
  }
}

const versionOf = (manifest: string): string => (JSON.parse(manifest) as { readonly version: string }).version;
