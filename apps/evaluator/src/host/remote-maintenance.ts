import { readFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { PresenceReported, type ReportPresence } from '@assay/contracts/evaluators';
import { RepeatedWork } from '@assay/jobs';
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
import { RemoteRuns } from '../gateway/remote-runs.js';
import { ServiceClient } from '../gateway/service-client.js';
import { ModelHost } from './model-host.js';
import { RemoteSettings } from './remote-settings.js';

const EVERY_MILLISECONDS = 15_000;
const MOST_RUNTIMES = 20;
/** The instruction sets that Docker names otherwise than Node.js. */
const DOCKER_NAMES: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' };

/** The maintenance of a host without the database: reports its presence, leases runs and sweeps sandboxes. */
@Injectable()
export class RemoteMaintenance implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  private readonly logger = new Logger(RemoteMaintenance.name);
  private readonly work = new RepeatedWork(this.logger);
  private readonly problems = new ChangedWarnings(this.logger);
  private readonly leaving = new AbortController();
  private readonly version = versionOf(readFileSync(join(projectFolder(), 'package.json'), 'utf8'));

  constructor(
    private readonly client: ServiceClient,
    private readonly runs: RemoteRuns,
    private readonly host: ModelHost,
    private readonly settings: RemoteSettings,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.reportPresence();
    this.work.every(EVERY_MILLISECONDS, () => this.reportPresence());
    this.work.every(EVERY_MILLISECONDS, () => this.sweep());
    this.runs.start();
  }

  /** The first shutdown hook: returns the runs that this evaluator holds to the queue. */
  async onModuleDestroy(): Promise<void> {
    this.work.stop();
    this.leaving.abort();
    await this.runs.leave();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.host.close();
  }

  private async reportPresence(): Promise<void> {
    try {
      const body = await this.presence();
      await this.client.requestOnce({ method: 'PUT', path: '/presence', body }, PresenceReported, this.leaving.signal);
      this.problems.clear();
    } catch (error) {
      if (!this.leaving.signal.aborted) this.problems.warn((error as Error).message);
    }
  }

  private async presence(): Promise<ReportPresence> {
    const runtimes = (await this.host.runtimes()).slice(0, MOST_RUNTIMES);
    const architecture = DOCKER_NAMES[process.arch] ?? process.arch;
    const host = { architecture, cpus: cpus().length, memoryBytes: totalmem(), runtimes };
    return { protocol: PROTOCOL, version: this.version, host, slots: this.settings.runConcurrency };
  }

  private async sweep(): Promise<void> {
    const removed = await this.host.driver.sweep(() => this.runs.live);
    if (removed > 0) this.logger.warn(`removed ${removed} leftover sandboxes`);
  }
}

const versionOf = (manifest: string): string => (JSON.parse(manifest) as { readonly version: string }).version;
