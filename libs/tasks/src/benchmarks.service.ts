import { isDeepStrictEqual } from 'node:util';
import type { TaskDefinition } from '@assay/contracts';
import { DomainError } from '@assay/kernel';
import { Outbox } from '@assay/persistence';
import { METRICS } from '@assay/scoring';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { BenchmarkVersion } from './benchmark-version.js';
import { DatasetVersion } from './dataset.js';
import type { Task } from './task.js';

@Injectable()
export class BenchmarksService {
  /** The benchmark version of the task that counts now; null before anything is active. */
  async current(em: EntityManager, task: Task): Promise<BenchmarkVersion | null> {
    return em.findOne(BenchmarkVersion, { task }, { orderBy: { number: 'desc' } });
  }

  /** The active dataset versions with their datasets, in the order in which they came. */
  async activeVersions(em: EntityManager, task: Task): Promise<DatasetVersion[]> {
    return em.find(
      DatasetVersion,
      { dataset: { task }, status: 'active' },
      { populate: ['dataset'], orderBy: { dataset: { createdAt: 'asc' } } },
    );
  }

  async proposedVersions(em: EntityManager, task: Task): Promise<DatasetVersion[]> {
    return em.find(DatasetVersion, { dataset: { task }, status: 'proposed' }, { populate: ['dataset'] });
  }

  /**
   * Activates proposed versions (all, or those of the named datasets). Each takes the place of the active version of its
   * dataset. The models' missing evaluations are requested by who hears `benchmark.released`.
   */
  async activate(em: EntityManager, task: Task, names?: readonly string[]): Promise<BenchmarkVersion> {
    const proposed = await this.proposedVersions(em, task);
    const chosen = names ? proposed.filter((version) => names.includes(version.dataset.name)) : proposed;
    const unknown = names?.find((name) => !chosen.some((version) => version.dataset.name === name));
    if (unknown !== undefined) {
      throw new DomainError('invalid', 'nothing_proposed', `The dataset "${unknown}" has no proposed version.`);
    }
    if (chosen.length === 0) throw new DomainError('conflict', 'nothing_proposed', 'No dataset version is proposed.');

    const active = await this.activeVersions(em, task);
    for (const version of chosen) {
      for (const old of active) if (old.dataset === version.dataset) old.status = 'retired';
      version.status = 'active';
    }
    return this.release(em, task, [...active.filter((version) => version.status === 'active'), ...chosen]);
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
    Outbox.add(em, 'benchmark.released', { taskId: task.id });
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
      metricVersions: Object.fromEntries(METRICS.map((metric) => [metric.name, metric.version])),
      amrs: null,
    });
    Outbox.add(em, 'benchmark.released', { taskId: task.id });
    await em.flush();
    return released;
  }
}

/** The part of a definition that decides the board; the rest may change without a new benchmark version. */
function boardPart(definition: TaskDefinition): BenchmarkVersion['definition'] {
  const { performance, metrics, weights, aggregate, limits, slices, cluster } = definition;
  return {
    performance,
    aggregate,
    limits,
    slices,
    ...(metrics && { metrics }),
    ...(weights && { weights }),
    ...(cluster !== undefined && { cluster }),
  };
}
