import { randomBytes } from 'node:crypto';
import type { Failure } from '@assay/contracts/models';
import type { DeploymentProgress, DeploymentStep } from '@assay/contracts/serving';
import { HeldLeases, type LeaseTimes, RenewedLease } from '@assay/persistence/locks';
import { Outbox } from '@assay/persistence/outbox';
import type { EntityManager } from '@mikro-orm/postgresql';
import { deploymentProgress } from './deployment.js';
import {
  type ClaimedDeployment,
  type FencedDeployment,
  DeploymentRepository,
  type Requeued,
} from './deployment.repository.js';

/**
 * Thrown when a lease is lost: another process holds the deployment, or it is not needed any more.
 * The former holder must stop; its writes change nothing.
 */
export class DeploymentLost extends Error {
  constructor(deploymentId: string) {
    super(`the lease of deployment ${deploymentId} is lost`);
    this.name = 'DeploymentLost';
  }
}

/** The number of consecutive failures of a model at which its deployment is given up. */
const MOST_ATTEMPTS = 4;
/** Seconds of service after which earlier failures of the model no longer count. */
const STEADY_SECONDS = 600;
const LONGEST_WAIT_SECONDS = 60;

/** Leases deployments on behalf of one evaluator process. Lease times are times of the database. */
export class DeploymentLeases extends HeldLeases<DeploymentLease> {
  /**
   * Leases a deployment that waits, or whose lease has expired. Copies of one model are never
   * served by the same evaluator: one of them answers while a measurement pauses the other.
   * @returns null if another process holds it, or it is not due or not needed
   */
  async claim(deploymentId: string): Promise<DeploymentLease | null> {
    const secret = randomBytes(32).toString('hex');
    const deployments = new DeploymentRepository(this.em.fork());
    const claimed = await deployments.claim(deploymentId, {
      owner: this.owner,
      secret,
      leaseSeconds: this.times.leaseSeconds,
      progress: deploymentProgress('image', new Date()),
    });
    if (!claimed) return null;

    const lease = this.hold(
      deploymentId,
      (onClose) => new DeploymentLease(this.em, claimed, secret, this.times, onClose),
    );
    await deployments.notify(deploymentId);
    return lease;
  }

  /**
   * Expires the leases of an earlier process with the same name. Only at the start, before the
   * first claim.
   * @returns the number of leases
   */
  expirePredecessors(): Promise<number> {
    return new DeploymentRepository(this.em.fork()).expireLeasesOf(this.owner);
  }

  /** Stores for all held deployments whether their answers wait for a measurement. */
  async pause(paused: boolean): Promise<void> {
    for (const lease of this.all()) await lease.pause(paused);
  }
}

/**
 * The right to serve a deployment, renewed until `close`. It aborts with a `DeploymentLost`. Writes
 * under a lost lease change nothing.
 */
export class DeploymentLease extends RenewedLease implements FencedDeployment {
  readonly deploymentId: string;
  readonly fence: number;
  readonly attempts: number;
  readonly specification: string;
  readonly task: string;
  readonly model: string;
  private paused = false;

  constructor(
    private readonly em: EntityManager,
    deployment: ClaimedDeployment,
    /** The secret that callers of the served model must present. */
    readonly secret: string,
    times: LeaseTimes,
    onClose: () => void,
  ) {
    super(times, onClose);
    this.deploymentId = deployment.id;
    this.fence = deployment.fence;
    this.attempts = deployment.attempts;
    this.specification = deployment.specification;
    this.task = deployment.task;
    this.model = deployment.model;
  }

  async progress(step: DeploymentStep): Promise<DeploymentProgress> {
    const progress = deploymentProgress(step, new Date());
    await this.write((deployments) => deployments.setProgress(this, progress));
    return progress;
  }

  /**
   * Marks the deployment as ready: it answers at `address` from now on.
   * @throws DeploymentLost
   */
  ready(address: string): Promise<void> {
    return this.write((deployments) => deployments.ready(this, address));
  }

  async pause(paused: boolean): Promise<void> {
    if (this.paused === paused) return;
    this.paused = paused;
    await this.write((deployments) => deployments.setPaused(this, paused)).catch(ignoreLoss);
  }

  /**
   * Releases the deployment unchanged, so that another evaluator can lease it at once.
   * @throws DeploymentLost
   */
  giveBack(): Promise<void> {
    return this.requeue({ seconds: 0, progress: deploymentProgress('evaluator', new Date()) });
  }

  /**
   * Requeues the deployment after a failure of the platform, not of the model. There is no limit of
   * attempts.
   * @returns seconds until it is due
   * @throws DeploymentLost
   */
  async postpone(message: string, seconds: number): Promise<number> {
    const wait = Math.min(seconds, LONGEST_WAIT_SECONDS);
    const text = `The host cannot serve the model now and will try again: ${message}`;
    await this.requeue({ seconds: wait, progress: deploymentProgress('evaluator', new Date(), text) });
    return wait;
  }

  /**
   * Requeues the deployment after the model exited or failed to start. Consecutive failures delay
   * it by 0, 1 and 4 seconds.
   * @returns seconds until it is due; null if there were `MOST_ATTEMPTS` failures and the caller
   *   must give it up
   * @throws DeploymentLost
   */
  async again(why: Failure, servedSeconds: number): Promise<number | null> {
    const attempts = (servedSeconds >= STEADY_SECONDS ? 0 : this.attempts) + 1;
    if (attempts >= MOST_ATTEMPTS) return null;
    const wait = Math.min((attempts - 1) ** 2, LONGEST_WAIT_SECONDS);
    const progress = deploymentProgress('again', new Date());
    await this.requeue({ seconds: wait, progress, failures: { attempts, failure: why } });
    return wait;
  }

  /**
   * Gives the deployment up and emits `deployment.failed`, so that another model can replace the
   * model in the loop.
   * @throws DeploymentLost
   */
  fail(why: Failure): Promise<void> {
    return this.write((deployments) => deployments.fail(this, why), 'placement.failed');
  }

  protected override extend(): Promise<boolean> {
    return new DeploymentRepository(this.em.fork()).extend(this, this.seconds);
  }

  protected override lossOf(): DeploymentLost {
    return new DeploymentLost(this.deploymentId);
  }

  private requeue(to: Requeued): Promise<void> {
    return this.write((deployments) => deployments.requeue(this, to), 'placement.wanted');
  }

  /** @throws DeploymentLost */
  private async write(
    change: (deployments: DeploymentRepository) => Promise<boolean>,
    event?: 'placement.wanted' | 'placement.failed',
  ): Promise<void> {
    try {
      await this.em.fork().transactional(async (em) => {
        const deployments = new DeploymentRepository(em);
        if (!(await change(deployments))) throw this.lossOf();
        if (event) Outbox.add(em, event, { placementId: this.deploymentId });
        await deployments.notify(this.deploymentId);
      });
    } catch (error) {
      if (error instanceof DeploymentLost) this.lose(error);
      throw error;
    }
  }
}

const ignoreLoss = (error: unknown): void => {
  if (!(error instanceof DeploymentLost)) throw error;
};
