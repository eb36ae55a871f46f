import { EvaluationRequests } from '@assay/evaluation/evaluations';
import { type Principal } from '@assay/identity';
import { AuditLog } from '@assay/identity/audit';
import { auditedModel } from '@assay/submissions';
import { Injectable } from '@nestjs/common';
import { ModelChanges } from './model-changes.js';

/** Cancels the evaluation of a model, or the repeated measurement of its costs. */
@Injectable()
export class CancelModel {
  constructor(
    private readonly changes: ModelChanges,
    private readonly evaluations: EvaluationRequests,
  ) {}

  /** @throws DomainError `not_found`, `not_the_owner`, `nothing_to_cancel` */
  async execute(principal: Principal, modelId: string): Promise<void> {
    await this.changes.apply(principal, modelId, async (em, model) => {
      const from = { state: model.state };
      await this.evaluations.cancel(em, model);
      const to = { state: model.state };
      AuditLog.record(em, principal, { action: 'model.cancelled', subject: auditedModel(model), from, to });
    });
  }
}
