import { type Principal } from '@assay/identity';
import { AuditLog } from '@assay/identity/audit';
import { auditedModel } from '@assay/submissions';
import { markBoardStale } from '@assay/tasks/benchmarks';
import { Injectable } from '@nestjs/common';
import { ModelChanges } from './model-changes.js';

/** Publishes a model: the board ranks it once it is complete. A withdrawn model is no longer withdrawn. */
@Injectable()
export class PublishModel {
  constructor(private readonly changes: ModelChanges) {}

  /** @throws DomainError `not_found`, `not_the_owner` */
  async execute(principal: Principal, modelId: string): Promise<void> {
    await this.changes.apply(principal, modelId, (em, model) => {
      const from = { published: model.published && !model.withdrawn };
      model.published = true;
      model.withdrawn = false;
      const published = { action: 'model.published' as const, subject: auditedModel(model) };
      AuditLog.recordChange(em, principal, published, { from, to: { published: true } });
      markBoardStale(em, model.task.id);
    });
  }
}
