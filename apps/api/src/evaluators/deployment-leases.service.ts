import type { DeploymentOffer, LeasedDeploymentView, RequestDeployment } from '@assay/contracts/serving';
import { leaseOwnerOf, type TokenHolder } from '@assay/evaluation/evaluators';
import type { RunnableOn } from '@assay/evaluation/runs';
import { Notifications } from '@assay/persistence/outbox';
import { DEPLOYMENT_CHANNEL, deploymentProgress, DeploymentRepository, HeldDeployment } from '@assay/serving';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { EvaluatorGateway } from './evaluator-gateway.service.js';
import { GatewayStores } from './gateway-stores.js';
import { HeldDeployments } from './held-deployments.service.js';
import { LongPolls } from './long-polls.js';

/** Leases target models to evaluators that serve them. */
@Injectable()
export class DeploymentLeases implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly polls = new LongPolls(DEPLOYMENT_CHANNEL);

  constructor(
    private readonly em: EntityManager,
    private readonly stores: GatewayStores,
    private readonly gateway: EvaluatorGateway,
    private readonly held: HeldDeployments,
    private readonly notifications: Notifications,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.polls.listen(this.notifications);
  }

  onModuleDestroy(): void {
    this.polls.close();
  }

  /**
   * Leases the next target model that the evaluator can serve. Waits for one if none is wanted.
   * @param gone aborted when the evaluator no longer waits
   * @throws DomainError `protocol_unsupported`, `presence_required`
   */
  async lease(
    evaluator: TokenHolder,
    { protocol, waitSeconds }: RequestDeployment,
    gone: AbortSignal,
  ): Promise<DeploymentOffer> {
    const on = await this.gateway.runnableOn(evaluator, protocol);
    const deployment = await this.polls.until({
      waitSeconds,
      gone,
      look: (signal) => this.next(evaluator, on, signal),
    });
    return { deployment };
  }

  private async next(
    evaluator: TokenHolder,
    on: RunnableOn,
    signal: AbortSignal,
  ): Promise<LeasedDeploymentView | null> {
    const owner = leaseOwnerOf(evaluator);
    const { leaseSeconds } = this.stores;
    const deployments = new DeploymentRepository(this.em.fork());
    while (!signal.aborted) {
      const id = await deployments.next(owner, on);
      if (id === null || !(await this.gateway.isReporting(evaluator))) return null;
      const progress = deploymentProgress('image', new Date());
      const claimed = await deployments.claim(id, { owner, leaseSeconds, progress });
      // another evaluator has leased it meanwhile
      if (!claimed) continue;
      await deployments.notify(id);
      const held = new HeldDeployment(this.em, claimed);
      // nobody receives the response, so the lease would only expire
      if (signal.aborted) await held.release();
      else {
        return {
          leaseSeconds,
          askedSeconds: await deployments.askedSeconds(id),
          assignment: await this.held.assignment(held),
        };
      }
    }
    return null;
  }
}
