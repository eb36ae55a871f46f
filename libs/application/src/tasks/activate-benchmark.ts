import type { TaskWarning } from '@assay/contracts/tasks';
import { type ActivationCost, ActivationCostRepository } from '@assay/evaluation/evaluations';
import type { Principal } from '@assay/identity';
import { TasksService } from '@assay/tasks';
import { BenchmarksService } from '@assay/tasks/benchmarks';
import { type DatasetVersion } from '@assay/tasks/datasets';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { TaskWarnings } from './task-warnings.js';

/** A benchmark version: one that was activated, or one that would be. */
export interface ActivatedBenchmark {
  readonly number: number;
  /** Null for a preview. */
  readonly createdAt: Date | null;
  /** The dataset versions of the benchmark version, perturbed ones included. */
  readonly versions: readonly DatasetVersion[];
  /** The evaluations that it requires. */
  readonly cost: ActivationCost;
  readonly warnings: readonly TaskWarning[];
}

/** Activates the proposed dataset versions of a task as a new benchmark version. */
@Injectable()
export class ActivateBenchmark {
  constructor(
    private readonly em: EntityManager,
    private readonly tasks: TasksService,
    private readonly benchmarks: BenchmarksService,
    private readonly warnings: TaskWarnings,
  ) {}

  /**
   * @param names the datasets to activate; undefined for all that are proposed
   * @throws DomainError `not_found`, `not_the_owner`, and those of `BenchmarksService.plan` and `activate`
   */
  async execute(principal: Principal, slug: string, names: readonly string[] | undefined): Promise<ActivatedBenchmark> {
    const task = await this.tasks.getOwned(principal, slug);
    return this.em.transactional(async (em) => {
      const { inForce } = await this.benchmarks.plan(em, task, names);
      const cost = await new ActivationCostRepository(em).of(task, inForce);
      const warnings = await this.warnings.of(task, inForce);
      const { number, createdAt } = await this.benchmarks.activate(em, principal, task, names);
      return { number, createdAt, versions: inForce, cost, warnings };
    });
  }

  /** Returns what `execute` would with the same parameters, and changes nothing. */
  async preview(principal: Principal, slug: string, names: readonly string[] | undefined): Promise<ActivatedBenchmark> {
    const task = await this.tasks.getOwned(principal, slug);
    const { inForce } = await this.benchmarks.plan(this.em, task, names);
    const current = await this.benchmarks.current(this.em, task);
    const cost = await new ActivationCostRepository(this.em).of(task, inForce);
    const warnings = await this.warnings.of(task, inForce);
    return { number: (current?.number ?? 0) + 1, createdAt: null, versions: inForce, cost, warnings };
  }
}
