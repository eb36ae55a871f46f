import { Evaluator, EvaluatorRepository, leaseOwnerOf } from '@assay/evaluation/evaluators';
import { releaseRun } from '@assay/evaluation/outcomes';
import { LeaseLost, RunRepository, unattendedClaim } from '@assay/evaluation/runs';
import { isAdministrator, type Principal } from '@assay/identity';
import { AuditLog } from '@assay/identity/audit';
import { DomainError } from '@assay/kernel';
import { DeploymentRepository } from '@assay/serving';
import { EntityManager, LockMode } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';

/** The length of the lease of a run that is being released. */
const LEASE_SECONDS = 60;

/**
 * Removes an evaluator, whose token stops working at once. What it held goes to other evaluators.
 * Administrators can remove all of them.
 */
@Injectable()
export class RemoveEvaluator {
  constructor(private readonly em: EntityManager) {}

  /** @throws DomainError `not_found` if the caller cannot see a registered evaluator with this ID */
  async execute(principal: Principal, id: string): Promise<void> {
    const owner = await this.remove(principal, id);
    await new DeploymentRepository(this.em.fork()).expireLeasesOf(owner);
    for (const run of await new RunRepository(this.em.fork()).heldBy(owner)) {
      await releaseRun(unattendedClaim(this.em, run, LEASE_SECONDS)).catch(ignoreEnded);
    }
  }

  /** Returns the name of the evaluator in leases. */
  private remove(principal: Principal, id: string): Promise<string> {
    return this.em.fork().transactional(async (em) => {
      const evaluator = await em.findOneOrFail(
        Evaluator,
        { id, state: 'active', ...(!isAdministrator(principal) && { owner: principal.userId }) },
        { lockMode: LockMode.PESSIMISTIC_WRITE, failHandler: DomainError.missing('evaluator') },
      );
      const { owner, name } = evaluator;
      evaluator.remove(await new EvaluatorRepository(em).time());
      AuditLog.record(em, principal, {
        action: 'evaluator.removed',
        subject: { kind: 'evaluator', id, ...(!owner && { name }) },
        from: { owner: owner?.id ?? null },
      });
      return leaseOwnerOf(evaluator);
    });
  }
}

/** A run that has ended meanwhile, or that another evaluator holds, needs no release. */
function ignoreEnded(error: unknown): void {
  if (!(error instanceof LeaseLost)) throw error;
}
