import type { Visibility } from '@assay/contracts/datasets';
import { EvaluatorRepository } from '@assay/evaluation/evaluators';
import { type Task, TasksService } from '@assay/tasks';
import { DatasetsService } from '@assay/tasks/datasets';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';

/**
 * Decides the container runtime of a task whose definition names none, once its first model arrives. Models with
 * different runtimes could not be compared by their costs, so the decision is stored in the definition.
 */
@Injectable()
export class DecideRuntime {
  constructor(
    private readonly em: EntityManager,
    private readonly tasks: TasksService,
    private readonly datasets: DatasetsService,
  ) {}

  /** Stores `runsc` if the task has hidden data and an evaluator offers it, else `runc`. */
  async execute(task: Task): Promise<void> {
    if (task.definition.runtime !== undefined) return;
    const versions = await this.datasets.list(task);
    const isHidden = hasHiddenData(versions.map(({ dataset }) => dataset));
    await this.tasks.decideRuntime(task.id, isHidden && (await this.offersGvisor(task)) ? 'runsc' : 'runc');
  }

  /** Returns whether an evaluator that may run the models of the task has the runtime `runsc`. */
  offersGvisor({ owner, definition }: Pick<Task, 'owner' | 'definition'>): Promise<boolean> {
    const { memory, cpus } = definition.limits;
    return new EvaluatorRepository(this.em.fork()).offersRuntime('runsc', { owner: owner.id, memory, cpus });
  }
}

/** Returns whether one of the datasets is hidden. */
export const hasHiddenData = (datasets: readonly { readonly visibility: Visibility }[]): boolean =>
  datasets.some(({ visibility }) => visibility === 'hidden');
