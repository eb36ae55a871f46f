import { EVALUATOR_PROTOCOLS, type EvaluatorHost } from '@assay/contracts/evaluators';
import type { LeasedRunView, LeasedStage, LeaseOffer, RequestLease } from '@assay/contracts/gateway';
import { EvaluatorRepository, type TokenHolder } from '@assay/evaluation/evaluators';
import { deadlineSeconds, prepareRun } from '@assay/evaluation/execution';
import { releaseRun } from '@assay/evaluation/outcomes';
import {
  QueuedRunSignal,
  Run,
  type RunClaim,
  type RunnableOn,
  RunRepository,
  unattendedClaim,
} from '@assay/evaluation/runs';
import { DomainError } from '@assay/kernel';
import { Notifications } from '@assay/persistence/outbox';
import { inTransaction } from '@assay/persistence/queries';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { protocolUnsupported } from './evaluator-gateway.service.js';
import { GatewayStores } from './gateway-stores.js';

/** Milliseconds after which a waiting request looks for work again without a notification. */
const LOOK_MILLISECONDS = 5000;

/** Returns the name of an evaluator in the leases of runs. No process that has the database has such a name. */
export const leaseOwnerOf = ({ name }: Pick<TokenHolder, 'name'>): string => `remote/${name}`;

/** Leases runs to evaluators that have no access to the database. */
@Injectable()
export class EvaluatorLeases implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly queued = new QueuedRunSignal();
  private isClosing = false;

  constructor(
    private readonly em: EntityManager,
    private readonly stores: GatewayStores,
    private readonly notifications: Notifications,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.queued.listen(this.notifications);
  }

  onModuleDestroy(): void {
    this.isClosing = true;
    this.queued.wake();
  }

  /**
   * Leases the next run that the evaluator can run. Waits for one if none is queued.
   * @param signal aborted when the evaluator no longer waits
   * @throws DomainError `protocol_unsupported`, `presence_required`
   */
  async lease(
    evaluator: TokenHolder,
    { protocol, stage, waitSeconds }: RequestLease,
    signal: AbortSignal,
  ): Promise<LeaseOffer> {
    if (!EVALUATOR_PROTOCOLS.includes(protocol)) throw protocolUnsupported(protocol);
    const host = await this.hostOf(evaluator);
    const until = performance.now() + waitSeconds * 1000;
    for (;;) {
      const left = until - performance.now();
      // subscribed before the look, so that no notification is missed between them
      const more = this.queued.next(stage, Math.min(Math.max(0, left), LOOK_MILLISECONDS));
      const run = await this.next(evaluator, stage, runnable(evaluator, host), signal);
      if (run || left <= 0 || this.isClosing || signal.aborted) return { run };
      await more;
    }
  }

  /**
   * Expires all leases of an evaluator that has started again.
   * @returns the number of runs that return to the queue
   */
  expire(evaluator: TokenHolder): Promise<number> {
    return new RunRepository(this.em.fork()).expireLeasesOf(leaseOwnerOf(evaluator));
  }

  /** Returns whether models wait for their scores. */
  evaluationsWait(): Promise<boolean> {
    return new RunRepository(this.em.fork()).evaluationsWait();
  }

  private async next(
    evaluator: TokenHolder,
    stage: LeasedStage,
    can: RunnableOn,
    signal: AbortSignal,
  ): Promise<LeasedRunView | null> {
    while (!signal.aborted && !this.isClosing) {
      const next = await new RunRepository(this.em.fork()).next(stage, can);
      if (!next) return null;
      const claim = await this.claim(evaluator, next.id, stage);
      const run = claim && (await this.prepared(claim));
      if (!run) continue;
      if (!signal.aborted) return run;
      // nobody receives the response, so the lease would only expire
      await releaseRun(claim);
    }
    return null;
  }

  /** Returns null if somebody else has leased the run meanwhile. */
  private async claim(evaluator: TokenHolder, id: string, stage: LeasedStage): Promise<RunClaim | null> {
    const { leaseSeconds } = this.stores;
    const em = this.em.fork();
    const run = await em.findOne(Run, id, { populate: ['specification'] });
    if (!run) return null;
    const terms = { owner: leaseOwnerOf(evaluator), leaseSeconds, deadlineSeconds: deadlineSeconds(run) };
    const claimed = await inTransaction(this.em, (tx) => new RunRepository(tx).claim(id, stage, terms));
    return claimed && unattendedClaim(this.em, claimed, leaseSeconds);
  }

  /** Returns null if nothing is to be done for the run. */
  private async prepared(claim: RunClaim): Promise<LeasedRunView | null> {
    const em = this.em.fork();
    const prepared = await prepareRun(em, claim);
    if (!prepared) return null;
    const run = this.stores.run(claim, prepared.material);
    return {
      work: prepared.work,
      leaseSeconds: this.stores.leaseSeconds,
      waitedSeconds: await new RunRepository(em).waitedSeconds(claim.runId),
      unpackedLimit: await run.unpackedLimit(),
      assignment: run.assignment,
    };
  }

  private async hostOf({ id }: TokenHolder): Promise<EvaluatorHost> {
    const host = await new EvaluatorRepository(this.em.fork()).hostOf(id);
    if (host) return host;
    throw new DomainError(
      'conflict',
      'presence_required',
      'The evaluator has not reported its host yet. Send PUT /api/v1/evaluator/presence first.',
    );
  }
}

const runnable = ({ ownerId }: TokenHolder, { runtimes, memoryBytes, cpus }: EvaluatorHost): RunnableOn => ({
  owner: ownerId,
  runtimes,
  memoryBytes,
  cpus,
});
