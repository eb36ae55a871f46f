import type { ModelSummary, ModelView } from '@assay/contracts';
import { Run } from '@assay/evaluation';
import type { Principal } from '@assay/identity';
import type { Model } from '@assay/submissions';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { cellsView } from './model-cells.js';

/** Models as they are shown. */
@Injectable()
export class ModelViews {
  constructor(private readonly em: EntityManager) {}

  summary(model: Model): ModelSummary {
    return {
      id: model.id,
      name: model.name,
      owner: model.owner.username,
      kind: model.kind,
      state: model.state,
      createdAt: model.createdAt.toISOString(),
    };
  }

  /** As `principal` may see it: what would tell single answers to a dataset that is not public is for the owner of the task alone. */
  async model(principal: Principal | null, model: Model): Promise<ModelView> {
    const cells = model.specification ? await cellsView(this.em, principal, model) : { evaluations: [] };
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
      ...cells,
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
