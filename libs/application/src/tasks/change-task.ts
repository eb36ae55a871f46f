import type { TaskChangePreview } from '@assay/contracts/datasets';
import { countStale } from '@assay/evaluation/evaluations';
import type { Principal } from '@assay/identity';
import { ChangePreviews } from '@assay/leaderboard/boards';
import { type Task, TasksService } from '@assay/tasks';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';

/** A merge patch (RFC 7396) of a task definition, as `TaskChange` has checked it. */
export type TaskPatch = Readonly<Record<string, unknown>>;

/**
 * Changes the definition of a task. A change that affects the board creates a benchmark version; no
 * model runs because of it.
 */
@Injectable()
export class ChangeTask {
  constructor(
    private readonly em: EntityManager,
    private readonly tasks: TasksService,
    private readonly previews: ChangePreviews,
  ) {}

  /**
   * @returns the task, and how many evaluations are scored again from their stored predictions
   * @throws DomainError `not_found`, `not_the_owner`, or what is wrong with the new definition
   */
  async execute(
    principal: Principal,
    slug: string,
    patch: TaskPatch,
  ): Promise<{ readonly task: Task; readonly rescored: number }> {
    return this.em.transactional(async (em) => {
      const task = await this.tasks.change(principal, slug, patch);
      await em.flush();
      return { task, rescored: await countStale(em, task, task.definition) };
    });
  }

  /** Returns what the patch would do to the board and the loop, and saves nothing. */
  async preview(principal: Principal, slug: string, patch: TaskPatch): Promise<TaskChangePreview> {
    const task = await this.tasks.getOwned(principal, slug);
    return this.previews.of(task, await this.tasks.changed(this.em, task, patch));
  }
}
