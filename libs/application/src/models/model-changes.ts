import type { Principal } from '@assay/identity';
import { inTransaction } from '@assay/persistence/queries';
import { type Model, ModelRepository, ModelsService } from '@assay/submissions';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';

/** Changes models in a transaction, for those who may manage them. */
@Injectable()
export class ModelChanges {
  constructor(
    private readonly em: EntityManager,
    private readonly models: ModelsService,
  ) {}

  /**
   * Runs `change` on the model, locked and reloaded. The transaction is repeated after a deadlock,
   * so `change` changes nothing but what it loads.
   * @throws DomainError `not_found` or `not_the_owner` unless `principal` may manage the model
   */
  async apply(
    principal: Principal,
    modelId: string,
    change: (em: EntityManager, model: Model) => unknown,
  ): Promise<void> {
    await this.models.getOwned(principal, modelId);
    await inTransaction(this.em, async (em) => {
      await change(em, await new ModelRepository(em).getForUpdate(modelId));
    });
  }
}
