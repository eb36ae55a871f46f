import type { Log, ModelSummary, ModelView } from '@assay/contracts/models';
import { mayReadOutput } from '@assay/evaluation/evaluations';
import { QueuePlaceRepository, RunRepository } from '@assay/evaluation/runs';
import type { Principal } from '@assay/identity';
import { DomainError } from '@assay/kernel';
import { maySee, type Model, type Summarised } from '@assay/submissions';
import { supplementsEnd } from '@assay/tasks/benchmarks';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { cellsView } from './model-cells.js';
import { RetiredKeys } from './retired-keys.js';
import { type ShownModel, ShownModelRepository } from './shown-model.repository.js';

/** Presents models. */
@Injectable()
export class ModelViews {
  constructor(
    private readonly em: EntityManager,
    private readonly keys: RetiredKeys,
  ) {}

  summary({ id, name, owner, kind, state, createdAt }: Summarised): ModelSummary {
    return { id, name, owner: owner.username, kind, state, createdAt: createdAt.toISOString() };
  }

  /**
   * Returns a model as `principal` may see it. Figures that would reveal single answers to a
   * dataset that is not public are for the owner of the task only.
   * @throws DomainError `not_found`, also for a model that `principal` may not see
   */
  async visible(principal: Principal | null, id: string): Promise<ModelView> {
    const model = await new ShownModelRepository(this.em).get(id);
    if (!maySee(principal, model)) throw DomainError.notFound('model');
    return this.view(principal, model);
  }

  /** Like `visible`, for a model whose visibility was already checked. */
  async model(principal: Principal | null, { id }: Pick<Model, 'id'>): Promise<ModelView> {
    return this.view(principal, await new ShownModelRepository(this.em).get(id));
  }

  private async view(principal: Principal | null, model: ShownModel): Promise<ModelView> {
    const run = model.specification?.run;
    const isQueued = run && run.kind !== 'predictions';
    const places = isQueued ? await new QueuePlaceRepository(this.em).places(run) : null;
    const retiredKeyAt = await this.keys.keyAt();
    const ends = model.kind === 'predictions' ? await supplementsEnd(this.em, model.task) : new Map<string, Date>();
    return {
      ...this.summary(model),
      task: model.task.slug,
      description: model.description,
      card: model.card,
      trainedOn: [...model.trainedOn],
      derivedFrom: [...model.derivedFrom],
      protocol: model.protocol,
      ...(model.command && { command: [...model.command] }),
      published: model.published,
      withdrawn: model.withdrawn,
      loop: model.inLoop,
      allowForeignEvaluators: model.allowForeignEvaluators,
      ...(model.liveDifference && { liveDifference: model.liveDifference }),
      ...(model.failure && { failure: model.failure }),
      ...cellsView(principal, model, { retiredKeyAt, places, ends }),
    };
  }

  /**
   * Returns the log of the last run that evaluated the model, as far as `principal` may read it.
   */
  async log(principal: Principal, { specification, task }: Model): Promise<Log> {
    if (!specification) return { log: '' };
    const run = await new RunRepository(this.em).lastLog({ specification: specification.id, task: task.id });
    if (!run) return { log: '' };
    const { log, bytes, readable, withheld } = run;
    const isShown = mayReadOutput(principal, task, readable);
    const withheldBytes = (withheld ?? 0) + (isShown ? 0 : (bytes ?? 0));
    return { log: (isShown ? log : null) ?? '', ...(withheldBytes > 0 && { withheldBytes }) };
  }
}
