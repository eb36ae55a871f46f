import { isDeepStrictEqual } from 'node:util';
import type { TaskDefinition } from '@assay/contracts';
import { DomainError } from '@assay/kernel';
import { Outbox } from '@assay/persistence';
import { metricsFor } from '@assay/scoring';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { BenchmarkVersion } from './benchmark-version.js';
import { DatasetVersion } from './dataset.js';
import { lockTask, type Task } from './task.js';

export interface ActivationPlan {
  readonly added: readonly DatasetVersion[];
  /** Active versions that are replaced, and proposals that a newer one of the same dataset overtakes. */
  readonly retired: readonly DatasetVersion[];
  /** All that the benchmark version would stand on. */
  readonly inForce: readonly DatasetVersion[];
}

@Injectable()
export class BenchmarksService {
  /** The benchmark version of the task that counts now; null before anything is active. */
  async current(em: EntityManager, task: Task): Promise<BenchmarkVersion | null> {
    return em.findOne(BenchmarkVersion, { task }, { orderBy: { number: 'desc' } });
  }

  async numbered(em: EntityManager, task: Task, number: number): Promise<BenchmarkVersion> {
    return em.findOneOrFail(BenchmarkVersion, { task, number });
  }

  /** The active dataset versions with their datasets, in the order in which they came. */
  async activeVersions(em: EntityManager, task: Task): Promise<DatasetVersion[]> {
    return em.find(
      DatasetVersion,
      { dataset: { task }, status: 'active' },
      { populate: ['dataset'], orderBy: { dataset: { createdAt: 'asc' } } },
    );
  }

  /**
   * What activating the newest proposed versions (of all datasets, or of those that are named) would put in force, and retire.
   * @throws DomainError `nothing_proposed`
   */
  async plan(em: EntityManager, task: Task, names?: readonly string[]): Promise<ActivationPlan> {
    const proposed = await em.find(
      DatasetVersion,
      { dataset: { task }, status: 'proposed' },
      { populate: ['dataset'], orderBy: { dataset: { createdAt: 'asc' }, number: 'asc' } },
    );
    const unknown = names?.find((name) => !proposed.some((version) => version.dataset.name === name));
    if (unknown !== undefined) {
      throw new DomainError('invalid', 'nothing_proposed', `The dataset "${unknown}" has no proposed version.`);
    }
    const candidates = proposed.filter((version) => names?.includes(version.dataset.name) ?? true);
    if (candidates.length === 0) {
      throw new DomainError('conflict', 'nothing_proposed', 'No dataset version is proposed.');
    }
    const newest = new Map(candidates.map((version) => [version.dataset.id, version]));
    const active = await this.activeVersions(em, task);
    const isKept = (version: DatasetVersion) => !newest.has(version.dataset.id);
    return {
      added: [...newest.values()],
      retired: [...active, ...candidates].filter((version) => !isKept(version) && !isAmong(newest, version)),
      inForce: [...active.filter(isKept), ...newest.values()],
    };
  }

  /**
   * Activates what is proposed, as `plan` says. The models' missing evaluations are requested by who hears
   * `benchmark.released`.
   */
  async activate(em: EntityManager, task: Task, names?: readonly string[]): Promise<BenchmarkVersion> {
    await lockTask(em, task);
    const { added, retired, inForce } = await this.plan(em, task, names);
    for (const version of retired) version.status = 'retired';
    for (const version of added) version.status = 'active';
    return this.release(em, task, inForce);
  }

  /** Puts a version in force at once, before any model is ranked: the benchmark version that nobody has seen is amended. */
  async activateAtOnce(em: EntityManager, task: Task, version: DatasetVersion): Promise<void> {
    const active = await this.activeVersions(em, task);
    for (const old of active) if (old.dataset === version.dataset && old !== version) old.status = 'retired';
    version.status = 'active';
    const kept = active.filter((old) => old.status === 'active' && old !== version);
    const current = await this.current(em, task);
    if (current) current.datasets = [...kept, version].map((each) => each.id);
    else await this.release(em, task, [...kept, version]);
    announce(em, task);
  }

  /** Weights, aggregation, limits, slices or metrics were changed by the owner. */
  async definitionChanged(em: EntityManager, task: Task): Promise<void> {
    const current = await this.current(em, task);
    if (!current || isDeepStrictEqual(current.definition, boardPart(task.definition))) return;
    await this.release(em, task, await this.activeVersions(em, task));
  }

  private async release(em: EntityManager, task: Task, versions: readonly DatasetVersion[]): Promise<BenchmarkVersion> {
    const previous = await this.current(em, task);
    const released = em.create(BenchmarkVersion, {
      task,
      number: (previous?.number ?? 0) + 1,
      datasets: versions.map((version) => version.id),
      definition: boardPart(task.definition),
      metricVersions: Object.fromEntries(
        metricsFor(task.definition.output.type).map((metric) => [metric.name, metric.version]),
      ),
      amrs: null,
    });
    announce(em, task);
    await em.flush();
    return released;
  }
}

/** The models are asked for what they lack, and a board is published even where there is no model yet. */
function announce(em: EntityManager, task: Task): void {
  Outbox.add(em, 'benchmark.released', { taskId: task.id });
  Outbox.add(em, 'board.stale', { taskId: task.id });
}

const isAmong = (versions: ReadonlyMap<string, DatasetVersion>, version: DatasetVersion): boolean =>
  versions.get(version.dataset.id) === version;

/** The part of a definition that decides the board; the rest may change without a new benchmark version. */
function boardPart(definition: TaskDefinition): BenchmarkVersion['definition'] {
  const { performance, metrics, weights, utilities, aggregate, limits, slices, cluster, perturbations } = definition;
  return {
    performance,
    aggregate,
    limits,
    slices,
    ...(metrics && { metrics }),
    ...(weights && { weights }),
    ...(utilities && { utilities }),
    ...(perturbations && { perturbations }),
    ...(cluster !== undefined && { cluster }),
  };
}
