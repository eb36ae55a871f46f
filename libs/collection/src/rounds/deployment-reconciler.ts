import { parseEvent } from '@assay/contracts/webhooks';
import { withAdvisoryLock } from '@assay/persistence/locks';
import { type OutboxRecord } from '@assay/persistence/outbox';
import { Deployment, deploymentProgress, DeploymentRepository } from '@assay/serving';
import type { EntityManager } from '@mikro-orm/postgresql';
import { replaceInRound } from './round-loop.js';
import { RoundModel } from './round-model.js';
import { RoundRepository } from './round.repository.js';

export interface DeploymentReconciliation {
  /** Deployments created for models that entered a loop. */
  readonly made: number;
  /** Deployments stopped because their models left the loop. */
  readonly stopped: number;
  /** Deployments requeued because their lease had expired. */
  readonly requeued: number;
}

/**
 * Minutes after which a deployment that was given up may be tried again, if its model is still in
 * the loop.
 */
const FAILED_MINUTES = 10;

/** Thrown to roll back a replacement when there is no other model. */
class NobodyElse extends Error {}

const unlessNobodyElse = (error: unknown): void => {
  if (!(error instanceof NobodyElse)) throw error;
};

/**
 * Reconciles the deployments with the loops. Reads the desired state from the database alone. Runs
 * in one process at a time.
 */
export class DeploymentReconciler {
  /** @param copies the number of deployments of each model, on different evaluators */
  constructor(
    private readonly em: EntityManager,
    private readonly copies = 1,
  ) {}

  /**
   * Runs one reconciliation.
   * @returns null if another process is reconciling
   */
  reconcile(): Promise<DeploymentReconciliation | null> {
    return withAdvisoryLock(this.em, 'assay.placements', (em) => this.change(em));
  }

  /**
   * Handles an outbox event. Idempotent.
   * @throws Error so that the event is delivered again
   */
  readonly dispatch = async (record: OutboxRecord): Promise<void> => {
    const event = parseEvent(record);
    switch (event?.type) {
      case 'placement.failed':
        return this.replace(event.payload.placementId);
      case 'loop.changed':
      case 'round.opened':
      case 'round.closing':
      case 'round.closed':
      case 'board.published':
        if (!(await this.reconcile())) throw new Error('deployments are being reconciled by another process');
        return;
      default:
    }
  };

  /**
   * Replaces a model whose deployment was given up by the next best one, in each open round that
   * has it in the loop. If there is no other model it stays in the loop, and is tried again after
   * `FAILED_MINUTES`.
   */
  private async replace(deploymentId: string): Promise<void> {
    const em = this.em.fork();
    const deployment = await em.findOne(Deployment, deploymentId);
    if (deployment?.state !== 'failed') return;
    const model = deployment.model.id;
    const why = deployment.failure?.message ?? 'It could not be served.';
    const rounds = await em.find(RoundModel, { model, until: null, round: { state: 'open' } });
    for (const { round } of rounds) {
      await em
        .transactional(async (tx) => {
          if ((await replaceInRound(tx, null, round, model, why)) === null) throw new NobodyElse();
        })
        .catch(unlessNobodyElse);
    }
  }

  private async change(em: EntityManager): Promise<DeploymentReconciliation> {
    const deployments = new DeploymentRepository(em);
    const wanted = await new RoundRepository(em).targetModels();
    const progress = deploymentProgress('evaluator', new Date());
    const stopped = await deployments.stopUnwanted(wanted);
    const requeued = await deployments.requeueExpired(progress);
    const missing = await deployments.missing(wanted, this.copies, FAILED_MINUTES);
    const made = await Array.fromAsync(missing, (each) => deployments.create(each, progress));
    for (const id of [...stopped, ...requeued, ...made]) await deployments.notify(id);
    return { made: made.length, stopped: stopped.length, requeued: requeued.length };
  }
}
