import { EvaluationRequests } from '@assay/evaluation/evaluations';
import { type Principal } from '@assay/identity';
import { AuditLog } from '@assay/identity/audit';
import { DomainError } from '@assay/kernel';
import { auditedModel } from '@assay/submissions';
import { Injectable } from '@nestjs/common';
import { ModelChanges } from './model-changes.js';

/**
 * Repeats a model's evaluations that failed or were cancelled, or measures the costs of a scored
 * model again.
 */
@Injectable()
export class RerunModel {
  constructor(
    private readonly changes: ModelChanges,
    private readonly evaluations: EvaluationRequests,
  ) {}

  /** @throws DomainError `not_found`, `not_the_owner`, `no_artifact`, `nothing_to_rerun` */
  async execute(principal: Principal, modelId: string, what: 'evaluations' | 'measures'): Promise<void> {
    await this.changes.apply(principal, modelId, (em, model) => {
      const [from, to] = [{ state: model.state }, { measures: what === 'measures' }];
      AuditLog.record(em, principal, { action: 'model.rerun', subject: auditedModel(model), from, to });
      if (what === 'measures') return this.evaluations.remeasure(em, model);
      if (!model.specification) {
        throw new DomainError('conflict', 'no_artifact', 'This model has no artifact yet. Upload it first.');
      }
      return this.evaluations.rerun(em, model);
    });
  }
}
