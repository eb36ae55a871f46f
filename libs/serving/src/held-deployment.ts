import type { ReportDeployment } from '@assay/contracts/serving';
import type { Failure } from '@assay/contracts/models';
import { LeaseLost } from '@assay/evaluation/runs';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Outbox } from '@assay/persistence/outbox';
import { inTransaction } from '@assay/persistence/queries';
import { deploymentProgress } from './deployment.js';
import {
  type ClaimedDeployment,
  type FencedDeployment,
  DeploymentRepository,
  type Requeued,
} from './deployment.repository.js';

/** The number of consecutive failures of a model at which its deployment is given up. */
const MOST_ATTEMPTS = 4;
/** Seconds of service after which earlier failures of the model no longer count. */
const STEADY_SECONDS = 600;
/** Seconds until a deployment is leased again after a failure of the platform. */
const POSTPONED_SECONDS = 5;
/** Seconds until a deployment is leased again whose owner has a run on hidden data on the host. */
const HELD_BACK_SECONDS = 2;

/**
 * A deployment that an evaluator holds. Every method throws `LeaseLost`, and changes nothing, if the
 * evaluator does not hold it any more.
 */
export class HeldDeployment implements FencedDeployment {
  readonly deploymentId: string;
  readonly fence: number;

  constructor(
    private readonly em: EntityManager,
    private readonly claimed: ClaimedDeployment,
  ) {
    this.deploymentId = claimed.id;
    this.fence = claimed.fence;
  }

  get specification(): string {
    return this.claimed.specification;
  }

  get task(): string {
    return this.claimed.task;
  }

  /** Stores the state, and extends the lease by `seconds`. */
  async report(reported: ReportDeployment, seconds: number): Promise<void> {
    await inTransaction(this.em, async (em) => {
      const deployments = new DeploymentRepository(em);
      if (!(await deployments.extend(this, seconds))) throw this.lost();
      const isChanged =
        reported.state === 'starting'
          ? await deployments.setProgress(this, deploymentProgress(reported.step, new Date()))
          : await deployments.setReady(this, reported.isPaused ?? false);
      if (isChanged) await deployments.notify(this.deploymentId);
    });
  }

  /** Returns the deployment to the queue unchanged, so that any evaluator can lease it at once. */
  release(): Promise<void> {
    return this.requeue({ seconds: 0, progress: deploymentProgress('evaluator', new Date()) });
  }

  /** Returns the deployment to the queue because its owner has a run on hidden data on the host. */
  holdBack(): Promise<void> {
    return this.requeue({ seconds: HELD_BACK_SECONDS, progress: deploymentProgress('evaluator', new Date()) });
  }

  /**
   * Returns the deployment to the queue after a failure of the platform, not of the model. There is no
   * limit of attempts.
   */
  postpone(message: string): Promise<void> {
    const text = `The host cannot serve the model now and will try again: ${message}`;
    return this.requeue({
      seconds: POSTPONED_SECONDS,
      progress: deploymentProgress('evaluator', new Date(), text),
    });
  }

  /**
   * Returns the deployment to the queue after the model exited or failed to start. Consecutive failures
   * delay it by 0, 1 and 4 seconds, and the next one gives it up.
   */
  async startAgain(why: Failure, servedSeconds: number): Promise<void> {
    const attempts = (servedSeconds >= STEADY_SECONDS ? 0 : this.claimed.attempts) + 1;
    if (attempts >= MOST_ATTEMPTS) return this.fail(why);
    const failures = { attempts, failure: why };
    return this.requeue({ seconds: (attempts - 1) ** 2, progress: deploymentProgress('again', new Date()), failures });
  }

  /**
   * Gives the deployment up and emits `placement.failed`, so that another model can replace the model
   * in the loop.
   */
  fail(why: Failure): Promise<void> {
    return this.write(async (deployments, em) => {
      if (!(await deployments.fail(this, why))) return false;
      Outbox.add(em, 'placement.failed', { placementId: this.deploymentId });
      return true;
    });
  }

  private requeue(to: Requeued): Promise<void> {
    return this.write((deployments) => deployments.requeue(this, to));
  }

  private async write(
    change: (deployments: DeploymentRepository, em: EntityManager) => Promise<boolean>,
  ): Promise<void> {
    await inTransaction(this.em, async (em) => {
      const deployments = new DeploymentRepository(em);
      if (!(await change(deployments, em))) throw this.lost();
      await deployments.notify(this.deploymentId);
    });
  }

  private lost(): LeaseLost {
    return new LeaseLost(`deployment ${this.deploymentId}`);
  }
}
