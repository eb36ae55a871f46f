import { MEASURING_PROTOCOL } from '@assay/contracts/evaluators';
import type { LeasedRunView, LeaseOffer, RequestLease } from '@assay/contracts/gateway';
import { EvaluatorRepository, leaseOwnerOf, type TokenHolder } from '@assay/evaluation/evaluators';
import { deadlineSeconds, prepareRun } from '@assay/evaluation/execution';
import { releaseRun } from '@assay/evaluation/outcomes';
import {
  Run,
  RUN_QUEUED_CHANNEL,
  type RunClaim,
  type RunnableOn,
  RunRepository,
  unattendedClaim,
} from '@assay/evaluation/runs';
import { Notifications } from '@assay/persistence/outbox';
import { inTransaction } from '@assay/persistence/queries';
import { DeploymentRepository } from '@assay/serving';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { EvaluatorGateway } from './evaluator-gateway.service.js';
import { GatewayStores } from './gateway-stores.js';
import { LongPolls } from './long-polls.js';

/**
 * Seconds for which a measuring run is left to evaluators that serve no target models, if one of them is
 * online.
 */
const LEFT_SECONDS = 600;

/** Leases runs to evaluators. */
@Injectable()
export class EvaluatorLeases implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly polls = new LongPolls(RUN_QUEUED_CHANNEL);

  constructor(
    private readonly em: EntityManager,
    private readonly stores: GatewayStores,
    private readonly gateway: EvaluatorGateway,
    private readonly notifications: Notifications,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.polls.listen(this.notifications);
  }

  onModuleDestroy(): void {
    this.polls.close();
  }

  /**
   * Leases the next run that the evaluator can run. Waits for one if none is queued.
   * @param gone aborted when the evaluator no longer waits
   * @throws DomainError `protocol_unsupported`, `presence_required`
   */
  async lease(evaluator: TokenHolder, request: RequestLease, gone: AbortSignal): Promise<LeaseOffer> {
    const on = await this.gateway.runnableOn(evaluator, request.protocol);
    const run = await this.polls.until({
      waitSeconds: request.waitSeconds,
      gone,
      wanted: request.stage,
      look: (signal) => this.next(evaluator, request, on, signal),
    });
    return { run };
  }

  /**
   * Expires all leases of an evaluator that has started again: of runs and of deployments.
   * @returns the number of runs that return to the queue
   */
  async expire(evaluator: TokenHolder): Promise<number> {
    const owner = leaseOwnerOf(evaluator);
    await new DeploymentRepository(this.em.fork()).expireLeasesOf(owner);
    return new RunRepository(this.em.fork()).expireLeasesOf(owner);
  }

  /** Returns whether models wait for their scores. */
  evaluationsWait(): Promise<boolean> {
    return new RunRepository(this.em.fork()).evaluationsWait();
  }

  private async next(
    evaluator: TokenHolder,
    request: RequestLease,
    on: RunnableOn,
    signal: AbortSignal,
  ): Promise<LeasedRunView | null> {
    const { stage, free } = request;
    while (!signal.aborted) {
      const runs = new RunRepository(this.em.fork());
      const isIdle = !(await runs.holdsAny(leaseOwnerOf(evaluator), stage));
      // it runs one model at a time: another run would only wait on its host
      if (!isIdle && isFirstVersion(request)) return null;
      const leftSeconds = await this.leftSeconds(evaluator, request);
      const next = await runs.next(stage, on, { evaluator: evaluator.id, free, isIdle, leftSeconds });
      if (!next || !(await this.gateway.isReporting(evaluator))) return null;
      const claim = await this.claim(evaluator, next.id, stage);
      const run = claim && (await this.prepared(claim, next.origin ?? null));
      if (!run) continue;
      if (next.drains) await new EvaluatorRepository(this.em.fork()).recordDrain(evaluator.id, next.id);
      if (!signal.aborted) return isFirstVersion(request) ? withoutPauses(run) : run;
      // nobody receives the response, so the lease would only expire
      await releaseRun(claim);
    }
    return null;
  }

  /** Returns the seconds for which a measuring run is left to other evaluators; null: for ever. */
  private async leftSeconds(evaluator: TokenHolder, request: RequestLease): Promise<number | null> {
    if (request.protocol < MEASURING_PROTOCOL) return null;
    const leaves = await new DeploymentRepository(this.em.fork()).leavesMeasurements(leaseOwnerOf(evaluator));
    return leaves ? LEFT_SECONDS : 0;
  }

  /** Returns null if somebody else has leased the run meanwhile. */
  private async claim(evaluator: TokenHolder, id: string, stage: RequestLease['stage']): Promise<RunClaim | null> {
    const { leaseSeconds } = this.stores;
    const em = this.em.fork();
    const run = await em.findOne(Run, id, { populate: ['specification'] });
    if (!run) return null;
    const terms = { owner: leaseOwnerOf(evaluator), leaseSeconds, deadlineSeconds: deadlineSeconds(run) };
    const claimed = await inTransaction(this.em, (tx) => new RunRepository(tx).claim(id, stage, terms));
    return claimed && unattendedClaim(this.em, claimed, leaseSeconds);
  }

  /** Returns null if nothing is to be done for the run. */
  private async prepared(claim: RunClaim, origin: LeasedRunView['origin']): Promise<LeasedRunView | null> {
    const em = this.em.fork();
    const { measureAfterSeconds } = this.stores;
    const prepared = await prepareRun(em, claim, { measureAfterSeconds });
    if (!prepared) return null;
    const run = this.stores.run(claim, prepared.material);
    return {
      work: prepared.work,
      leaseSeconds: this.stores.leaseSeconds,
      waitedSeconds: await new RunRepository(em).waitedSeconds(claim.runId),
      unpackedLimit: await run.unpackedLimit(),
      origin,
      assignment: run.assignment,
    };
  }
}

const isFirstVersion = ({ protocol }: RequestLease): boolean => protocol === 1;

/** An evaluator of the first version would pause its target models to time a run that weighs costs. */
const withoutPauses = (run: LeasedRunView): LeasedRunView => ({
  ...run,
  assignment: { ...run.assignment, weighsCosts: false },
});
