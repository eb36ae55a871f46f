import { leaveRounds } from '@assay/collection/rounds';
import { type Principal } from '@assay/identity';
import { AuditLog } from '@assay/identity/audit';
import { followPolicy } from '@assay/leaderboard/promotions';
import { auditedModel } from '@assay/submissions';
import { Injectable } from '@nestjs/common';
import { ModelChanges } from './model-changes.js';

/**
 * Sets whether a model may be in the loop. A model that may not leaves the open rounds, and other
 * models replace it.
 */
@Injectable()
export class ChangeLoopConsent {
  constructor(private readonly changes: ModelChanges) {}

  /** @throws DomainError `not_found`, `not_the_owner` */
  async execute(principal: Principal, modelId: string, loop: boolean): Promise<void> {
    await this.changes.apply(principal, modelId, async (em, model) => {
      const changes = { from: { loop: model.inLoop }, to: { loop } };
      AuditLog.recordChange(em, principal, { action: 'model.loop', subject: auditedModel(model) }, changes);
      model.inLoop = loop;
      if (!loop) await leaveRounds(em, principal, model, 'Its owner keeps it out of the loop.');
      await em.flush();
      await followPolicy(em, model.task);
    });
  }
}
