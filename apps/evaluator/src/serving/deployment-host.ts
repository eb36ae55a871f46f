import {
  type DeploymentAssignment,
  DeploymentOffer,
  type DeploymentOutcome,
  type LeasedDeploymentView,
} from '@assay/contracts/serving';
import type { Failure } from '@assay/contracts/models';
import { withLogFields } from '@assay/observability';
import type { Sandbox, SandboxDriver, SandboxSpecification, StartOutcome } from '@assay/sandbox';
import { Logger } from '@nestjs/common';
import { EvaluatorLeaves } from '../gateway/evaluator-leaves.js';
import { HttpDeployment, type HttpDeploymentParts } from '../gateway/http-deployment.js';
import { LeaseRequests, type LeaseRequestsParts } from '../gateway/lease-requests.js';
import { printable, reported } from '../gateway/reported-failure.js';
import { LeaseLost } from '../gateway/service-error.js';
import { LiveRequests } from '../host/live-requests.js';
import type { MeasuringLocks } from '../host/measuring-locks.js';
import type { ModelImages } from '../run/session/model-images.js';
import { inSandbox, startFailure } from '../run/session/model-sandbox.js';
import { LiveConnection } from './live-connection.js';
import { RestartLocks } from './restart-locks.js';
import { liveFailure, ServedModel } from './served-model.js';

export interface DeploymentSettings {
  /** The number of target models that are served concurrently; 0: none is leased. */
  readonly most: number;
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

type HostLocks = Pick<MeasuringLocks, 'starting' | 'isHidden' | 'tryRestart'>;

export interface DeploymentHostParts extends HttpDeploymentParts, LeaseRequestsParts {
  readonly driver: SandboxDriver;
  readonly images: Pick<ModelImages, 'install'>;
  readonly settings: DeploymentSettings;
  readonly locks: HostLocks;
  /** Default: no measurement gives way to the models. */
  readonly liveRequests?: LiveRequests;
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
/** Seconds by which the service may be late with the time of a question. */
const ASKED_SECONDS = 10;
const RELEASE_MILLISECONDS = 5_000;

/** The reason why a container no longer serves its model. */
type End = { readonly kind: 'ended' | 'slow'; readonly failure: Failure } | { readonly kind: 'aged' };

/** A started model. */
interface Serving {
  readonly lease: HttpDeployment;
  readonly sandbox: Sandbox;
  readonly model: ServedModel;
  /** The first instances that the model is asked to predict, as JSON. */
  readonly instances: readonly string[];
}

/**
 * Serves target models on this evaluator: leases deployments, starts their models, and handles
 * their failures.
 */
export class DeploymentHost {
  private readonly logger = new Logger(DeploymentHost.name);
  private readonly leaving = new AbortController();
  private readonly requests: LeaseRequests;
  private readonly connection: LiveConnection;
  /** The leases that are held, each with its work. */
  private readonly held = new Map<HttpDeployment, Promise<void>>();
  private readonly locks: HostLocks;
  private readonly restarts: RestartLocks;
  private readonly liveRequests: LiveRequests;
  private readonly life: ContainerLife;
  private leasing: Promise<void> = Promise.resolve();

  constructor(private readonly parts: DeploymentHostParts) {
    this.requests = new LeaseRequests(parts, this.leaving.signal);
    this.connection = new LiveConnection(parts.client);
    this.locks = parts.locks;
    this.restarts = new RestartLocks(this.locks);
    this.liveRequests = parts.liveRequests ?? new LiveRequests();
    this.life = parts.life ?? LIFE;
  }

  /** IDs of the deployments that are served here. Their containers must not be swept. */
  get live(): ReadonlySet<string> {
    return new Set([...this.held.keys()].map(({ assignment }) => assignment.deployment));
  }

  /** Starts to lease deployments. */
  start(): void {
    if (this.parts.settings.most === 0) return;
    this.connection.start();
    this.leasing = this.requests.repeat(
      { path: '/deployments/leases', offer: DeploymentOffer },
      async ({ deployment }) => {
        if (deployment) this.hold(deployment);
        while (this.held.size >= this.parts.settings.most) await Promise.race(this.held.values());
      },
    );
  }

  /** Leases nothing more, and releases the deployments that are served. */
  async leave(): Promise<void> {
    this.leaving.abort(new EvaluatorLeaves());
    await this.leasing;
    await Promise.all(this.held.values());
    await this.restarts.releaseAll();
    await this.connection.close();
  }

  /** Serves a deployment until its lease ends. */
  private hold(view: LeasedDeploymentView): void {
    const lease = new HttpDeployment(this.parts, view, this.leaving.signal);
    const work = withLogFields({ deployment: view.assignment.deployment }, () => this.serve(lease));
    this.held.set(lease, work);
    void work.finally(() => this.held.delete(lease));
  }

  private async serve(lease: HttpDeployment): Promise<void> {
    const { deployment } = lease.assignment;
    this.restarts.returned(deployment);
    try {
      await lease.end(await this.outcomeOf(lease));
    } catch (error) {
      await this.answerFor(lease, error);
    } finally {
      if (lease.ended !== 'held_back') await this.restarts.release(deployment);
      await lease.close();
    }
  }

  /** Starts and serves the model. Returns how its service ended. */
  private async outcomeOf(lease: HttpDeployment): Promise<DeploymentOutcome> {
    const { assignment, signal } = lease;
    const { deployment, owners, artifact, specification, output } = assignment;
    const { image } = artifact;
    if (!image) throw new Error('The artifact has no image');
    if (await this.locks.isHidden(owners)) return this.holdBack(lease);

    const { command } = specification;
    const admitted = { kind: artifact.kind, digest: artifact.digest, command, source: () => lease.artifact() };
    const digest = await this.parts.images.install(admitted, signal, 'live');
    const instances = await lease.warmUpInstances();
    const sandboxed = this.sandboxSpecification(assignment, digest, image.port);
    const started = await this.liveRequests.during(() => this.started(lease, sandboxed));
    if (started === null) return this.holdBack(lease);
    await this.restarts.release(deployment);
    if (started.kind !== 'ready') return ended(startFailure(started, image), 0);

    const { sandbox } = started;
    const { requestSeconds } = specification.limits;
    const { slowSeconds } = this.parts.settings;
    const model = new ServedModel({ sandbox, output, requestSeconds, slowSeconds });
    const since = performance.now();
    const end = await inSandbox(sandbox, signal, () => this.untilEnd({ lease, sandbox, model, instances }));
    if (end.kind === 'aged') return { kind: 'released' };
    this.logger.warn(`the model is no longer served: ${end.failure.message}`);
    // a slow model will not be faster another time
    if (end.kind === 'slow') return { kind: 'failed', failure: reported(end.failure) };
    return ended(end.failure, (performance.now() - since) / 1000);
  }

  /**
   * A model of the owner uses hidden data on this host: no other sandbox of the owner may run at
   * the same time. If people ask the deployment, no further run on hidden data begins until it has
   * started.
   */
  private async holdBack({ assignment, askedSeconds }: HttpDeployment): Promise<DeploymentOutcome> {
    const { deployment, owners } = assignment;
    const isAwaited = askedSeconds <= this.parts.settings.idleSeconds + ASKED_SECONDS;
    await (isAwaited ? this.restarts.keep(deployment, owners) : this.restarts.release(deployment));
    return { kind: 'held_back' };
  }

  private sandboxSpecification(
    { deployment, fence, owners, specification }: DeploymentAssignment,
    image: string,
    port: number,
  ): SandboxSpecification {
    const { command, environment, limits, runtime } = specification;
    const seconds = limits.startSeconds + this.life.seconds + GRACE_SECONDS;
    return {
      image,
      ...(command && { command }),
      environment,
      port,
      limits,
      runtime,
      // a fresh container: one that has seen the hidden rows of a run must never answer people
      data: 'readable',
      cores: 'shared',
      labels: { owners, run: deployment, attempt: fence, deadline: Date.now() + seconds * 1000 },
    };
  }

  /** Starts the model. Null if a run of the owner uses hidden data. */
  private async started(lease: HttpDeployment, sandboxed: SandboxSpecification): Promise<StartOutcome | null> {
    const { signal, assignment } = lease;
    const lock = await this.locks.starting(signal);
    try {
      if (await this.locks.isHidden(assignment.owners)) return null;
      lease.report({ state: 'starting', step: 'start' });
      return await this.parts.driver.start(sandboxed, signal);
    } finally {
      await lock.release();
    }
  }

  private async untilEnd(serving: Serving): Promise<End> {
    // removes the abort listener, which would keep the stopped model in memory
    const over = new AbortController();
    try {
      return await this.endOf(serving, rejectedBy(serving.lease.signal, over.signal));
    } finally {
      over.abort();
    }
  }

  private async endOf({ lease, sandbox, model, instances }: Serving, given: Promise<never>): Promise<End> {
    const { deployment, owners } = lease.assignment;
    const exited = sandbox.whenEnded().then((fault): End => ({ kind: 'ended', failure: liveFailure(fault) }));
    const warm = this.liveRequests
      .during(() => model.warmUp(instances))
      .then((why): End | null => (why ? { kind: 'ended', failure: why } : null));
    const early = await Promise.race([exited, warm, given]);
    if (early) return early;
    this.connection.add(deployment, (question, asked) => this.liveRequests.during(() => model[question](asked)));
    const since = performance.now();
    const aged = Promise.withResolvers<End>();
    const looking = setInterval(() => {
      const seconds = (performance.now() - since) / 1000;
      if (this.isAged(seconds, model.idleSeconds)) aged.resolve({ kind: 'aged' });
      void this.givesWay(owners, seconds, model).then((gives) => {
        if (gives) aged.resolve({ kind: 'aged' });
      });
    }, LOOK_MILLISECONDS);
    try {
      lease.report({ state: 'ready' });
      this.logger.log('the model is ready');
      const slow = model.whenTooSlow().then((why): End => ({ kind: 'slow', failure: why }));
      return await Promise.race([exited, slow, aged.promise, given]);
    } finally {
      clearInterval(looking);
      this.connection.remove(deployment);
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

  /** Handles an error of the platform, or the end of the lease or of this evaluator. */
  private async answerFor(lease: HttpDeployment, error: unknown): Promise<void> {
    if (!lease.signal.aborted && !(error instanceof LeaseLost)) await this.failPlatform(lease, error);
    if (!this.leaving.signal.aborted || lease.isLost || lease.ended) return;
    await lease
      .end({ kind: 'released' }, AbortSignal.timeout(RELEASE_MILLISECONDS))
      .catch((failed: unknown) => this.logger.warn(`the deployment is not released: ${(failed as Error).message}`));
  }

  private async failPlatform(lease: HttpDeployment, error: unknown): Promise<void> {
    this.logger.error({ message: 'the platform failed', err: error });
    await lease
      .end({ kind: 'platform_failed', message: printable((error as Error).message) })
      .catch((failed: unknown) => this.logger.warn((failed as Error).message));
  }
}

const ended = (failure: Failure, servedSeconds: number): DeploymentOutcome => ({
  kind: 'ended',
  failure: reported(failure),
  servedSeconds,
});

/** Never resolves. Rejects with the reason of `signal`, unless `until` was aborted before. */
const rejectedBy = (signal: AbortSignal, until: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true, signal: until });
  });
