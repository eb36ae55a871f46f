import { warmUpInstances } from '@assay/application/evaluators';
import type { DeploymentAssignment, DeploymentOutcome, ReportDeployment } from '@assay/contracts/serving';
import { failure } from '@assay/contracts/models';
import { leaseOwnerOf, type TokenHolder } from '@assay/evaluation/evaluators';
import { LeaseLost } from '@assay/evaluation/runs';
import { seededRng } from '@assay/kernel';
import { DeploymentRepository, HeldDeployment } from '@assay/serving';
import { BLOB_STORE, type BlobStore } from '@assay/storage';
import { ownersOf, RunSpecification } from '@assay/submissions';
import { Task } from '@assay/tasks';
import { EntityManager } from '@mikro-orm/postgresql';
import { Inject, Injectable } from '@nestjs/common';
import { GatewayStores } from './gateway-stores.js';

/** A deployment that a request of an evaluator is about. */
export interface DeploymentReference {
  readonly evaluator: TokenHolder;
  readonly deployment: string;
  readonly fence: number;
}

/** The uploaded bytes of an artifact. */
export interface UploadedArtifact {
  readonly path: string;
  readonly size: number;
}

/**
 * The target models that evaluators hold. Every method throws `LeaseLost` if the evaluator does not hold
 * the deployment.
 */
@Injectable()
export class HeldDeployments {
  constructor(
    private readonly em: EntityManager,
    private readonly stores: GatewayStores,
    @Inject(BLOB_STORE) private readonly blobs: BlobStore,
  ) {}

  /** Returns everything that is needed to start the model. */
  async assignment(held: HeldDeployment): Promise<DeploymentAssignment> {
    const em = this.em.fork();
    const { artifact, content } = await specificationOf(em, held);
    const task = await em.findOneOrFail(Task, held.task);
    const { kind, digest, size, image } = artifact;
    if (!image) throw new Error(`the artifact of deployment ${held.deploymentId} has no image`);
    const { command, environment, limits, runtime } = content;
    return {
      deployment: held.deploymentId,
      fence: held.fence,
      artifact: {
        kind,
        digest,
        size,
        image: { port: image.port, unreadable: image.unreadable },
        isArchived: Boolean(artifact.archivedAt),
      },
      owners: await ownersOf(em, held.specification),
      specification: { command, environment, limits, runtime, repeatability: null },
      output: task.definition.output,
    };
  }

  /** Stores the state of the deployment, and extends the lease. */
  async report(reference: DeploymentReference, report: ReportDeployment): Promise<void> {
    const held = await this.held(reference);
    await held.report(report, this.stores.leaseSeconds);
  }

  async artifact(reference: DeploymentReference): Promise<UploadedArtifact> {
    const held = await this.held(reference);
    const { artifact } = await specificationOf(this.em.fork(), held);
    return { path: await this.blobs.path(artifact.digest), size: artifact.size };
  }

  /** Returns the instances that warm the model up, as JSON. The same for each request under one lease. */
  async warmUp(reference: DeploymentReference): Promise<readonly string[]> {
    const { task, deploymentId, fence } = await this.held(reference);
    const em = this.em.fork();
    const rng = seededRng(`${deploymentId}/${fence}`);
    return warmUpInstances({ em, blobs: this.blobs, task: await em.findOneOrFail(Task, task), rng });
  }

  /** Ends the lease. */
  async end(reference: DeploymentReference, outcome: DeploymentOutcome): Promise<void> {
    const held = await this.held(reference);
    switch (outcome.kind) {
      case 'released':
        return held.release();
      case 'held_back':
        return held.holdBack();
      case 'platform_failed':
        return held.postpone(outcome.message);
      case 'ended':
        return held.startAgain(failure(outcome.failure.code, outcome.failure.message), outcome.servedSeconds);
      case 'failed':
        return held.fail(failure(outcome.failure.code, outcome.failure.message));
    }
  }

  private async held({ evaluator, deployment, fence }: DeploymentReference): Promise<HeldDeployment> {
    const deployments = new DeploymentRepository(this.em.fork());
    const leased = await deployments.leased({ deploymentId: deployment, fence }, leaseOwnerOf(evaluator));
    if (!leased) throw new LeaseLost(`deployment ${deployment}`);
    return new HeldDeployment(this.em, leased);
  }
}

const specificationOf = (em: EntityManager, { specification }: HeldDeployment): Promise<RunSpecification> =>
  em.findOneOrFail(RunSpecification, specification, { populate: ['artifact'] });
