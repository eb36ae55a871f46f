import { mkdir, readFile, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { SandboxUnavailable, type SandboxDriver } from '@assay/sandbox';
import {
  DockerEngine,
  DockerSandboxDriver,
  ensurePlatformImages,
  projectFolder,
  type PlatformImage,
} from '@assay/sandbox/docker';
import { Logger } from '@nestjs/common';
import { onnxRunnerImage } from '../../../../sandboxes/onnx-runner/image.js';
import { relayImage } from '../../../../sandboxes/relay/image.js';
import { HostLock } from '@assay/persistence/locks';
import { expectFreeSpace } from './free-space.js';
import { measuringLocks, type MeasuringLocks, scopedLock } from './measuring-locks.js';
import { ObservedDriver } from './observed-driver.js';
import type { SandboxMetrics } from './sandbox-metrics.js';
import { storeBypassWarning } from './store-bypass.js';

const RETRY_MILLISECONDS = 2_000;

/** The requests to the service while the host is prepared. */
export interface HostStart {
  /** Expires leases that a crashed predecessor of this process may still hold. Returns their number. */
  expirePredecessors(): Promise<number>;
  /** Reports why this host cannot run models yet. Does not throw. */
  reportProblem(problem: string): Promise<void>;
}

/** The settings of an evaluator that concern its host. */
export interface ModelHostSettings {
  /** Name of the evaluator, unique among those that share an engine. */
  readonly instance: string;
  readonly dockerHost: string | undefined;
  /** Seconds that each call to the engine may take; default: depends on the operation. */
  readonly engineSeconds: number | undefined;
  /** The scope of the locks of the host; default: the ID of the engine. */
  readonly lockScope: string | undefined;
  /** Emptied at the start. */
  readonly workFolder: string;
}

/**
 * The Docker engine of this host, prepared for models: it has the platform's images, and leftovers
 * of a predecessor are removed.
 */
export class ModelHost {
  private readonly ensured = new Map<string, Promise<PlatformImage>>();

  private constructor(
    /** Name of the evaluator, unique among those that share an engine. */
    readonly instance: string,
    readonly driver: SandboxDriver,
    readonly locks: MeasuringLocks,
    private readonly engine: DockerEngine,
    private readonly lock: HostLock,
    private readonly workFolder: string,
    /** True if the engine stores its images on this host. */
    private readonly isLocal: boolean,
  ) {}

  /** Waits until a predecessor of the same name has ended and until the engine answers. */
  static async start(settings: ModelHostSettings, service: HostStart, metrics: SandboxMetrics): Promise<ModelHost> {
    const logger = new Logger(ModelHost.name);
    const { instance, dockerHost, engineSeconds: seconds } = settings;
    const engine = new DockerEngine(
      dockerHost,
      seconds ? { quick: seconds, work: seconds, removal: seconds } : undefined,
    );
    const driver = new DockerSandboxDriver({
      engine,
      instance,
      log: (message) => logger.log(message),
    });
    const preparation = new Preparation(logger, service);
    const scope = settings.lockScope ?? (await preparation.complete(async () => (await engine.info()).ID)) ?? '';
    const lock = await HostLock.acquire(scopedLock(scope, `evaluator-${instance}`), new AbortController().signal);
    await rm(settings.workFolder, { recursive: true, force: true });
    await mkdir(settings.workFolder, { recursive: true, mode: 0o700 });
    const isLocal = dockerHost === undefined || dockerHost.startsWith('unix:');
    const warning = isLocal ? storeBypassWarning(await readFile('/proc/self/status', 'utf8')) : null;
    if (warning) logger.warn(warning);
    const host = new ModelHost(
      instance,
      new ObservedDriver(driver, metrics),
      measuringLocks(scope),
      engine,
      lock,
      settings.workFolder,
      isLocal,
    );

    try {
      await preparation.complete(() => host.prepare(logger));
      const expired = await service.expirePredecessors();
      if (expired > 0) logger.warn(`expired ${expired} leases of a previous process`);
      return host;
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  /**
   * Returns the image that serves ONNX bundles.
   *
   * @throws SandboxUnavailable
   */
  readonly runner = (): Promise<PlatformImage> => this.ensure('runner', onnxRunnerImage(projectFolder()));

  /**
   * Returns the names of the engine's container runtimes, such as runc and runsc.
   *
   * @throws SandboxUnavailable if the engine does not answer, or a disk is full
   */
  async probe(): Promise<readonly string[]> {
    const { DockerRootDir, Runtimes = {} } = await this.engine.info();
    await expectFreeSpace(this.isLocal && DockerRootDir ? [this.workFolder, DockerRootDir] : [this.workFolder]);
    return Object.keys(Runtimes);
  }

  async close(): Promise<void> {
    await this.driver.close();
    await this.lock.release();
  }

  private async prepare(logger: Logger): Promise<void> {
    const swept = await this.driver.sweep(() => new Set());
    if (swept > 0) logger.warn(`removed ${swept} sandboxes of a previous process`);
    await this.ensure('relay', relayImage(projectFolder()));
    await this.runner();
  }

  private async ensure(
    name: string,
    recipe: Parameters<typeof ensurePlatformImages>[1][number],
  ): Promise<PlatformImage> {
    const logger = new Logger(ModelHost.name);
    const known =
      this.ensured.get(name) ??
      ensurePlatformImages(this.engine, [recipe], { log: (message) => logger.log(message) }).then(([image]) => image!);
    this.ensured.set(name, known);
    // a failure is not cached: the next caller tries again
    known.catch(() => this.ensured.delete(name));
    return known;
  }
}

/** The steps of a start that wait until the engine answers. */
class Preparation {
  constructor(
    private readonly logger: Logger,
    private readonly service: HostStart,
  ) {}

  /** Repeats the step until the engine answers, and reports the problem meanwhile. */
  async complete<T>(step: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await step();
      } catch (error) {
        if (!(error instanceof SandboxUnavailable)) throw error;
        this.logger.warn(`cannot use the Docker engine yet: ${error.message}`);
        await this.service.reportProblem(error.message);
        await sleep(RETRY_MILLISECONDS);
      }
    }
  }
}
