import { EvaluationRepository } from '@assay/evaluation/evaluations';
import { type Principal } from '@assay/identity';
import { AuditLog } from '@assay/identity/audit';
import { DomainError } from '@assay/kernel';
import { Outbox } from '@assay/persistence/outbox';
import { auditedModel, ModelsService } from '@assay/submissions';
import { relatedArtifacts } from '@assay/submissions/lineage';
import { markBoardStale } from '@assay/tasks/benchmarks';
import { Injectable } from '@nestjs/common';
import { ModelChanges } from './model-changes.js';

/**
 * Sets the models that a model descends from. The next board revision treats rounds that were
 * collected against one of them as own rounds of the model.
 */
@Injectable()
export class DeclareLineage {
  constructor(
    private readonly changes: ModelChanges,
    private readonly models: ModelsService,
  ) {}

  /** @throws DomainError `not_found`, `not_the_owner`, `unknown_model`, `derived_from_itself` */
  async execute(principal: Principal, modelId: string, derivedFrom: readonly string[]): Promise<void> {
    await this.changes.apply(principal, modelId, async (em, model) => {
      const ids = [...new Set(derivedFrom.map((id) => id.toLowerCase()))];
      if (ids.includes(model.id)) {
        throw new DomainError('invalid', 'derived_from_itself', 'A model cannot be derived from itself.', [
          { path: 'derivedFrom', message: `"${model.id}" is the model itself` },
        ]);
      }
      await this.models.expectVisible(
        principal,
        model.task,
        ids.filter((id) => !model.derivedFrom.includes(id)),
      );
      const changes = { from: { derivedFrom: [...model.derivedFrom] }, to: { derivedFrom: ids } };
      AuditLog.recordChange(em, principal, { action: 'model.lineage', subject: auditedModel(model) }, changes);
      model.derivedFrom = ids;
      await em.flush();
      const related = await relatedArtifacts(em, model.task.id, [model.id]);
      await new EvaluationRepository(em).rescoreOwnRounds(model.task.id, [...related]);
      Outbox.add(em, 'scores.stale', { taskId: model.task.id });
      markBoardStale(em, model.task.id);
    });
  }
}
