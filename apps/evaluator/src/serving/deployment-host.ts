import type { Failure } from '@assay/contracts/models';
import type { DeploymentReply } from '@assay/contracts/serving';
import { seededRng } from '@assay/kernel';
import { withLogFields } from '@assay/observability';
import type { Sandbox, SandboxDriver, SandboxSpecification } from '@assay/sandbox';
import {
  Deployment,
  deploymentProgress,
  DeploymentLost,
  DeploymentRepository,
  type DeploymentLease,
  type DeploymentLeases,
} from '@assay/serving';
import type { BlobStore } from '@assay/storage';
import { ownersOf, RunSpecification } from '@assay/submissions';
import { type Ceilings, clampLimits, Task } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Logger } from '@nestjs/common';
import type { Held } from '@assay/persistence/locks';
import { measuringLocks, type MeasuringLocks } from '../host/measuring-locks.js';
import type { ModelImages } from '../run/session/model-images.js';
import { inSandbox, startFailure } from '../run/session/model-sandbox.js';
import { MeasuringWatch } from './measuring-watch.js';
import { DeploymentServer } from './deployment-server.js';
import { liveFailure, ServedModel } from './served-model.js';
import { warmUpInstances } from './warm-up-instances.js';

export interface DeploymentSettings {
  /** The number of target models that are served concurrently. */
  readonly most: number;
  readonly host: string;
  readonly port: number;
  /** Seconds that a request waits for the end of a measurement. */
  readonly holdSeconds: number;
  /** Limit of the median response time, in seconds. */
  readonly slowSeconds: number;
  /**
   * Seconds without a request after which a model gives way to a run of its owner on hidden data. A
   * model that was asked more recently while it could not answer starts before the next such run.
   */
  readonly idleSeconds: number;
  /**
   * Seconds after which a model gives way to one such run although people ask it, so that neither
   * waits for as long as the other lasts.
   */
  readonly turnSeconds: number;
}

type HostLocks = Pick<MeasuringLocks, 'timed' | 'isTiming' | 'isHidden' | 'tryRestart'>;

export interface DeploymentHostParts {
  readonly em: EntityManager;
  readonly leases: DeploymentLeases;
  readonly driver: SandboxDriver;
  readonly images: Pick<ModelImages, 'install'>;
  readonly blobs: BlobStore;
  readonly settings: DeploymentSettings;
  /** The limits of every model are lowered to these; default: the limits that the task sets. */
  readonly ceilings?: Ceilings;
  /** Default: the locks of the host. */
  readonly locks?: HostLocks;
  readonly life?: ContainerLife;
}

/**
 * The lifetime of a deployment's container. Every container has a deadline after which any
 * evaluator of its engine removes it, so that an evaluator that never comes back leaves nothing
 * behind. A container is replaced before its deadline, when it is idle.
 */
interface ContainerLife {
  /** Age in seconds from which it is replaced once it is idle. */
  readonly seconds: number;
  readonly idleSeconds: number;
}

const LIFE: ContainerLife = { seconds: 86_400, idleSeconds: 300 };
/**
 * Seconds from the end of the lifetime to the deadline. A container that was not idle in the first
 * half of this time is replaced anyway.
 */
const GRACE_SECONDS = 7200;

const LOOK_MILLISECONDS = 500;
/** Seconds until the platform retries after a failure of its own. */
const POSTPONED_SECONDS = 5;
/** Seconds until the next check whether a run of the owner on hidden data has ended. */
const HELD_BACK_SECONDS = 2;

/** The reason why a container no longer serves its model. */
type End = { readonly kind: 'ended' | 'slow'; readonly failure: Failure } | { readonly kind: 'aged' };

/** A started model. */
interface Serving {
  readonly lease: DeploymentLease;
  /** IDs of the accounts that own the model. */
  readonly owners: readonly string[];
  readonly sandbox: Sandbox;
  readonly model: ServedModel;
  /** The first instances that the model is asked to predict, as JSON. */
  readonly instances: readonly string[];
  readonly signal: AbortSignal;
}

/**
 * Serves target models on this evaluator: leases deployments, starts their models, and handles
 * their failures.
 */
export class DeploymentHost {
  private readonly logger = new Logger(DeploymentHost.name);
  private readonly leaving = new AbortController();
  private readonly busy = new Set<Promise<void>>();
  private readonly timers = new Set<NodeJS.Timeout>();
  private readonly server: DeploymentServer;
  private readonly locks: HostLocks;
  /** The restart locks by deployment: no run of its owners on hidden data begins before it starts. */
  private readonly restarts = new Map<string, Held>();
  private readonly watch: MeasuringWatch;
  private readonly life: ContainerLife;

  constructor(private readonly parts: DeploymentHostParts) {
    this.server = new DeploymentServer(parts.settings);
    this.locks = parts.locks ?? measuringLocks();
    this.watch = new MeasuringWatch(() => this.locks.isTiming());
    this.life = parts.life ?? LIFE;
  }

  /** IDs of the deployments that are served here. Their containers must not be swept. */
  get live(): ReadonlySet<string> {
    return this.parts.leases.live;
  }

  /**
   * Leases a queued deployment if there is room, and serves it from then on. Returns as soon as the
   * deployment is leased or skipped.
   */
  async take(deploymentId: string): Promise<void> {
    if (this.leaving.signal.aborted) return;
    const isFull = this.busy.size >= this.parts.settings.most;
    if (!isFull && (await this.isHeldBack(deploymentId))) {
      this.takeLater(deploymentId, HELD_BACK_SECONDS);
      return;
    }
    const lease = isFull ? null : await this.parts.leases.claim(deploymentId);
    if (!lease) return this.releaseRestart(deploymentId);
    const work = withLogFields({ deployment: deploymentId }, () => this.serve(lease));
    this.busy.add(work);
    void work.finally(() => this.busy.delete(work));
  }

  /** Leases nothing more, and gives back the deployments that are served. */
  async leave(): Promise<void> {
    this.leaving.abort(new Error('the evaluator is being stopped'));
    for (const timer of this.timers) clearTimeout(timer);
    await Promise.allSettled(this.busy);
    for (const deploymentId of this.restarts.keys()) await this.releaseRestart(deploymentId);
    await this.server.close();
  }

  /**
   * True if a model of the owner uses hidden data on this host: no other sandbox of the owner may
   * run at the same time. If people ask the deployment, no further run on hidden data begins until
   * it has started.
   */
  private async isHeldBack(deploymentId: string): Promise<boolean> {
    const em = this.parts.em.fork();
    const deployment = await em.findOne(Deployment, deploymentId);
    if (!deployment) return false;
    const owners = await ownersOf(em, deployment.specification.id);
    if (!(await this.locks.isHidden(owners))) return false;
    if (await new DeploymentRepository(em).isAwaited(deploymentId, this.parts.settings.idleSeconds)) {
      const restart = this.restarts.has(deploymentId) ? null : await this.locks.tryRestart(owners);
      if (restart) this.restarts.set(deploymentId, restart);
    } else await this.releaseRestart(deploymentId);
    return true;
  }

  private async releaseRestart(deploymentId: string): Promise<void> {
    const restart = this.restarts.get(deploymentId);
    this.restarts.delete(deploymentId);
    await restart?.release();
  }

  private async serve(lease: DeploymentLease): Promise<void> {
    const signal = AbortSignal.any([lease.signal, this.leaving.signal]);
    let again: number | null = null;
    try {
      again = await this.startAndServe(lease, signal);
    } catch (error) {
      again = await this.answerFor(lease, error);
    } finally {
      lease.close();
      await this.releaseRestart(lease.deploymentId);
    }
    if (again !== null) this.takeLater(lease.deploymentId, again);
  }

  /** @returns seconds until the deployment is leased again; null if it is given up */
  private async startAndServe(lease: DeploymentLease, signal: AbortSignal): Promise<number | null> {
    const { em, images } = this.parts;
    const material = em.fork();
    const { artifact, content } = await material.findOneOrFail(RunSpecification, lease.specification, {
      populate: ['artifact'],
    });
    const task = await material.findOneOrFail(Task, lease.task);
    const { image } = artifact;
    if (!image) throw new Error('its artifact has no image');

    const owners = await ownersOf(material, lease.specification);
    const { kind, digest: uploaded } = artifact;
    const source = () => this.parts.blobs.path(uploaded);
    const digest = await images.install({ kind, digest: uploaded, command: content.command, source }, signal, 'live');
    const limits = this.parts.ceilings ? clampLimits(content.limits, this.parts.ceilings) : content.limits;
    const seconds = limits.startSeconds + this.life.seconds + GRACE_SECONDS;
    const specification: SandboxSpecification = {
      image: digest,
      ...(content.command && { command: content.command }),
      environment: content.environment,
      port: image.port,
      limits,
      runtime: content.runtime,
      // a fresh container: one that has seen the hidden rows of a run must never answer people
      data: 'readable',
      cores: 'shared',
      labels: { owners, run: lease.deploymentId, attempt: lease.fence, deadline: Date.now() + seconds * 1000 },
    };
    // loading a model during a measurement would distort the measurement
    const started = await this.alone(lease, signal, async () =>
      (await this.locks.isHidden(owners)) ? null : this.parts.driver.start(specification, signal),
    );
    await this.releaseRestart(lease.deploymentId);
    if (started === null) return lease.giveBack().then(() => HELD_BACK_SECONDS);
    if (started.kind !== 'ready') return this.afterEnd(lease, startFailure(started, image), 0);

    const { sandbox } = started;
    const model = new ServedModel({
      sandbox,
      output: task.definition.output,
      requestSeconds: limits.requestSeconds,
      slowSeconds: this.parts.settings.slowSeconds,
    });
    const rng = seededRng(`${lease.deploymentId}/${lease.fence}`);
    const instances = await warmUpInstances({ em: material, blobs: this.parts.blobs, task, rng });
    const since = performance.now();
    const end = await inSandbox(sandbox, signal, () =>
      this.untilEnd({ lease, owners, sandbox, model, instances, signal }),
    );
    if (end.kind === 'aged') return lease.giveBack().then(() => 0);
    this.logger.warn(`the model is no longer served: ${end.failure.message}`);
    // a slow model will not be faster another time
    if (end.kind === 'slow') return lease.fail(end.failure).then(() => null);
    return this.afterEnd(lease, end.failure, (performance.now() - since) / 1000);
  }

  /** Runs `work` while nothing is timed on the host. Timed passes wait until it ends. */
  private async alone<T>(lease: DeploymentLease, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (await this.watch.isUnderWay()) await lease.progress('measurement');
    const lock = await this.locks.timed(signal);
    try {
      return await this.watch.whileOurs(async () => {
        await lease.progress('start');
        return work();
      });
    } finally {
      await lock.release();
    }
  }

  private async untilEnd(serving: Serving): Promise<End> {
    // removes the abort listener, which would keep the stopped model in memory
    const over = new AbortController();
    try {
      return await this.endOf(serving, rejectedBy(serving.signal, over.signal));
    } finally {
      over.abort();
    }
  }

  private async endOf(
    { lease, owners, sandbox, model, instances, signal }: Serving,
    given: Promise<never>,
  ): Promise<End> {
    const ended = sandbox.whenEnded().then((fault): End => ({ kind: 'ended', failure: liveFailure(fault) }));
    const warm = this.alone(lease, signal, () => model.warmUp(instances)).then((why): End | null =>
      why ? { kind: 'ended', failure: why } : null,
    );
    const early = await Promise.race([ended, warm, given]);
    if (early) return early;
    this.server.add(lease.deploymentId, {
      secret: lease.secret,
      ask: (question, instances) => this.whenQuiet(() => model[question](instances)),
    });
    const since = performance.now();
    const aged = Promise.withResolvers<End>();
    const looking = setInterval(() => {
      const seconds = (performance.now() - since) / 1000;
      void this.tellPause(lease);
      if (this.isAged(seconds, model.idleSeconds)) aged.resolve({ kind: 'aged' });
      void this.givesWay(owners, seconds, model).then((gives) => {
        if (gives) aged.resolve({ kind: 'aged' });
      });
    }, LOOK_MILLISECONDS);
    try {
      await lease.ready(await this.server.address());
      this.logger.log('the model is ready');
      const slow = model.whenTooSlow().then((why): End => ({ kind: 'slow', failure: why }));
      return await Promise.race([ended, slow, aged.promise, given]);
    } finally {
      clearInterval(looking);
      this.server.remove(lease.deploymentId);
    }
  }

  /**
   * True if a run of its owner on hidden data is waiting, and the model is idle or has served for
   * its turn.
   */
  private async givesWay(owners: readonly string[], seconds: number, model: ServedModel): Promise<boolean> {
    const { idleSeconds, turnSeconds } = this.parts.settings;
    return (model.idleSeconds >= idleSeconds || seconds >= turnSeconds) && (await this.locks.isHidden(owners));
  }

  private isAged(seconds: number, idleSeconds: number): boolean {
    if (seconds < this.life.seconds) return false;
    return idleSeconds >= this.life.idleSeconds || seconds >= this.life.seconds + GRACE_SECONDS / 2;
  }

  private async whenQuiet(ask: () => Promise<DeploymentReply>): Promise<DeploymentReply> {
    if (await this.watch.quiet(this.parts.settings.holdSeconds * 1000)) return ask();
    const text = 'A measurement is running on the host of the model. The model answers when it has ended.';
    return { kind: 'busy', progress: deploymentProgress('measurement', new Date(), text) };
  }

  private async tellPause(lease: DeploymentLease): Promise<void> {
    await lease.pause(await this.watch.isUnderWay()).catch(() => undefined);
  }

  /** Handles a failure of the model. */
  private async afterEnd(lease: DeploymentLease, why: Failure, served: number): Promise<number | null> {
    const again = await lease.again(why, served);
    if (again === null) await lease.fail(why);
    return again;
  }

  /** Handles a failure of the platform, or the end of the lease or of this evaluator. */
  private async answerFor(lease: DeploymentLease, error: unknown): Promise<number | null> {
    if (error instanceof DeploymentLost || lease.signal.aborted) return null;
    try {
      if (this.leaving.signal.aborted) {
        await lease.giveBack();
        return null;
      }
      this.logger.error({ message: 'the platform failed', err: error });
      return await lease.postpone((error as Error).message, POSTPONED_SECONDS);
    } catch (problem) {
      // the lease will expire, and another evaluator takes the deployment
      this.logger.warn((problem as Error).message);
      return null;
    }
  }

  private takeLater(deploymentId: string, seconds: number): void {
    if (this.leaving.signal.aborted) return;
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      this.take(deploymentId).catch((error: unknown) => this.logger.warn((error as Error).message));
    }, seconds * 1000);
    this.timers.add(timer);
  }
}

/** Never resolves. Rejects with the reason of `signal`, unless `until` was aborted before. */
const rejectedBy = (signal: AbortSignal, until: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true, signal: until });
  });
