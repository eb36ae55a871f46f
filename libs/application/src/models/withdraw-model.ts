import { leaveRounds } from '@assay/collection/rounds';
import { EvaluationRequests } from '@assay/evaluation/evaluations';
import { type Principal } from '@assay/identity';
import { AuditLog } from '@assay/identity/audit';
import { auditedModel } from '@assay/submissions';
import { Injectable } from '@nestjs/common';
import { ModelChanges } from './model-changes.js';

/** Withdraws a model: it leaves the board and the open rounds. Its scores and older board revisions stay. */
@Injectable()
export class WithdrawModel {
  constructor(
    private readonly changes: ModelChanges,
    private readonly evaluations: EvaluationRequests,
  ) {}

  /** @throws DomainError `not_found`, `not_the_owner` */
  async execute(principal: Principal, modelId: string): Promise<void> {
    await this.changes.apply(principal, modelId, async (em, model) => {
      const changes = { from: { withdrawn: model.withdrawn }, to: { withdrawn: true } };
      AuditLog.recordChange(em, principal, { action: 'model.withdrawn', subject: auditedModel(model) }, changes);
      await this.evaluations.withdraw(em, model);
      await leaveRounds(em, principal, model, 'Its owner withdrew it.');
    });
  }
}
