import { Evaluator } from '@assay/evaluation/evaluators';
import { isAdministrator, type Principal } from '@assay/identity';
import { AuditLog } from '@assay/identity/audit';
import { DomainError } from '@assay/kernel';
import { EntityManager, LockMode } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';

/** Removes an evaluator, whose token stops working at once. Administrators can remove all of them. */
@Injectable()
export class RemoveEvaluator {
  constructor(private readonly em: EntityManager) {}

  /** @throws DomainError `not_found` if the caller cannot see a registered evaluator with this ID */
  async execute(principal: Principal, id: string, at = new Date()): Promise<void> {
    await this.em.fork().transactional(async (em) => {
      const evaluator = await em.findOneOrFail(
        Evaluator,
        { id, state: 'active', ...(!isAdministrator(principal) && { owner: principal.userId }) },
        { lockMode: LockMode.PESSIMISTIC_WRITE, failHandler: DomainError.missing('evaluator') },
      );
      const { owner, name } = evaluator;
      evaluator.remove(at);
      AuditLog.record(em, principal, {
        action: 'evaluator.removed',
        subject: { kind: 'evaluator', id, ...(!owner && { name }) },
        from: { owner: owner?.id ?? null },
      });
    });
  }
}
