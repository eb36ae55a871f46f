import type { ModelSummary, ModelView } from '@assay/contracts';
import { Run } from '@assay/evaluation';
import type { Principal } from '@assay/identity';
import { DomainError } from '@assay/kernel';
import { maySee, type Model, type Summarised } from '@assay/submissions';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { cellsView, shownModel, type ShownModel } from './model-cells.js';

/** Models as they are shown. */
@Injectable()
export class ModelViews {
  constructor(private readonly em: EntityManager) {}

  summary({ id, name, owner, kind, state, createdAt }: Summarised): ModelSummary {
    return { id, name, owner: owner.username, kind, state, createdAt: createdAt.toISOString() };
  }

  /**
   * As `principal` may see it: what would tell single answers to a dataset that is not public is for the owner of the task alone.
   * @throws DomainError `not_found`, of what they may not see too
   */
  async visible(principal: Principal | null, id: string): Promise<ModelView> {
    const model = await shownModel(this.em, id);
    if (!maySee(principal, model)) throw DomainError.notFound('model');
    return this.view(principal, model);
  }

  /** The same of a model that was asked for already. */
  async model(principal: Principal | null, { id }: Pick<Model, 'id'>): Promise<ModelView> {
    return this.view(principal, await shownModel(this.em, id));
  }

  private view(principal: Principal | null, model: ShownModel): ModelView {
    return {
      ...this.summary(model),
      task: model.task.slug,
      description: model.description,
      card: model.card,
      trainedOn: [...model.trainedOn],
      protocol: model.protocol,
      ...(model.command && { command: [...model.command] }),
      published: model.published,
      withdrawn: model.withdrawn,
      loop: model.inLoop,
      ...(model.failure && { failure: model.failure }),
      ...cellsView(principal, model),
    };
  }

  /** The log of the run that evaluated it last. */
  async log(model: Model): Promise<string> {
    if (!model.specification) return '';
    const run = await this.em.findOne(
      Run,
      { specification: model.specification, task: model.task, purpose: 'evaluation', log: { $ne: null } },
      { orderBy: { id: 'desc' } },
    );
    return run?.log ?? '';
  }
}
