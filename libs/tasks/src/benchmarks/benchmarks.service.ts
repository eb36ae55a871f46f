import { isDeepStrictEqual } from 'node:util';
import { type BenchmarkChange } from '@assay/contracts/datasets';
import type { TaskDefinition } from '@assay/contracts/tasks';
import type { Actor } from '@assay/identity/audit';
import { DomainError } from '@assay/kernel';
import { Outbox } from '@assay/persistence/outbox';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { recordActivation } from './audited-activation.js';
import { benchmarkChanges } from './benchmark-changes.js';
import { type BoardDefinition, BenchmarkVersion } from './benchmark-version.js';
import { boardPart } from './board-part.js';
import { changedVersions, currentVersions } from './definition-versions.js';
import { type Dataset, DatasetVersion, recordPut } from '../datasets/dataset.js';
import { markBoardStale } from './stale-board.js';
import { lockTask, type Task } from '../task.js';

export interface ActivationPlan {
  readonly added: readonly DatasetVersion[];
  /**
   * Active versions that are replaced, and older proposals that a newer one of the same dataset
   * supersedes.
   */
  readonly retired: readonly DatasetVersion[];
  /** Every dataset version of the resulting benchmark version. */
  readonly inForce: readonly DatasetVersion[];
}

/** The benchmark version that a change of a task would release. */
export interface PlannedVersion {
  readonly number: number;
  readonly definition: BoardDefinition;
  readonly changes: readonly BenchmarkChange[];
}

@Injectable()
export class BenchmarksService {
  /**
   * Returns the benchmark version of the task that is in force, or null before the first
   * activation.
   */
  async current(em: EntityManager, task: Task): Promise<BenchmarkVersion | null> {
    return em.findOne(BenchmarkVersion, { task }, { orderBy: { number: 'desc' } });
  }

  async numbered(em: EntityManager, task: Task, number: number): Promise<BenchmarkVersion> {
    return em.findOneOrFail(BenchmarkVersion, { task, number });
  }

  /** Returns the active dataset versions with their datasets, oldest dataset first. */
  async activeVersions(em: EntityManager, task: Task): Promise<DatasetVersion[]> {
    return em.find(
      DatasetVersion,
      { dataset: { task }, status: 'active' },
      { populate: ['dataset'], orderBy: { dataset: { createdAt: 'asc' } } },
    );
  }

  /**
   * Returns the dataset versions that would become active or retired if the newest proposed
   * versions were activated (of all datasets, or of the datasets in `names`). Perturbed versions
   * follow their originals.
   * @throws DomainError `nothing_proposed`
   */
  async plan(em: EntityManager, task: Task, names?: readonly string[]): Promise<ActivationPlan> {
    const all = await em.find(
      DatasetVersion,
      { dataset: { task }, status: 'proposed' },
      { populate: ['dataset'], orderBy: { dataset: { createdAt: 'asc' }, number: 'asc' } },
    );
    const proposed = all.filter((version) => !version.original);
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
    const remains = (version: DatasetVersion) => !newest.has(originalOf(version.dataset));
    const perturbed = all.filter((version) => version.original && !remains(version));
    const added = [
      ...newest.values(),
      ...perturbed.filter((version) => [...newest.values()].some(({ id }) => id === version.original!.id)),
    ];
    return {
      added,
      retired: [...active, ...candidates, ...perturbed].filter((each) => !remains(each) && !added.includes(each)),
      inForce: [...active.filter(remains), ...added],
    };
  }

  /**
   * Activates the proposed versions that `plan` returns. Consumers of the event
   * `benchmark.released` request the missing evaluations of the models.
   */
  async activate(em: EntityManager, actor: Actor, task: Task, names?: readonly string[]): Promise<BenchmarkVersion> {
    await lockTask(em, task);
    const { added, retired, inForce } = await this.plan(em, task, names);
    for (const version of retired) version.status = 'retired';
    for (const version of added) version.status = 'active';
    return this.release(em, actor, task, inForce);
  }

  /**
   * Activates a version and its perturbed versions without a proposal, for a task that has no
   * ranked models. Amends the current benchmark version instead of releasing a new one, because no
   * ranking depends on it yet.
   */
  async activateAtOnce(em: EntityManager, actor: Actor, task: Task, version: DatasetVersion): Promise<void> {
    const perturbed = await em.find(
      DatasetVersion,
      { original: version, status: { $ne: 'retired' } },
      { populate: ['dataset'] },
    );
    const added = [version, ...perturbed];
    const active = (await this.activeVersions(em, task)).filter((old) => !added.includes(old));
    const remains = (old: DatasetVersion) => originalOf(old.dataset) !== version.dataset.id;
    for (const old of active) if (!remains(old)) old.status = 'retired';
    for (const each of added) each.status = 'active';
    const current = await this.current(em, task);
    const inForce = [...active.filter(remains), ...added];
    if (current) {
      const before = current.datasets;
      current.datasets = inForce.map((each) => each.id);
      const { definition, metricVersions } = current;
      await recordActivation(em, actor, task, current, { datasets: before, definition, metricVersions });
    } else await this.release(em, actor, task, inForce);
    announce(em, task);
  }

  /**
   * Activates the versions `coming` and retires the versions `leaving`, each with its perturbed
   * versions, and releases a benchmark version. The caller holds the lock on the task.
   */
  async replace(
    em: EntityManager,
    task: Task,
    coming: readonly DatasetVersion[],
    leaving: readonly DatasetVersion[],
  ): Promise<BenchmarkVersion> {
    for (const version of leaving) version.status = 'retired';
    for (const version of coming) version.status = 'active';
    const originals = [...coming, ...leaving].map(({ id }) => id);
    const perturbed = await em.find(DatasetVersion, { original: { $in: originals }, status: { $ne: 'retired' } });
    for (const version of perturbed)
      version.status = coming.some(({ id }) => id === version.original!.id) ? 'active' : 'retired';
    for (const version of coming) recordPut(em, null, task, version);
    await em.flush();
    return this.release(em, null, task, await this.activeVersions(em, task));
  }

  /**
   * Releases a new benchmark version if the active dataset versions differ from those it names, for
   * example because other perturbed versions are active.
   */
  async datasetsChanged(em: EntityManager, actor: Actor, task: Task): Promise<void> {
    const current = await this.current(em, task);
    const active = await this.activeVersions(em, task);
    const named = new Set(current?.datasets);
    if (current && (named.size !== active.length || active.some(({ id }) => !named.has(id)))) {
      await this.release(em, actor, task, active);
    }
  }

  /**
   * Releases a new benchmark version if the part of the definition that determines the board has
   * changed.
   */
  async definitionChanged(em: EntityManager, actor: Actor, task: Task): Promise<void> {
    const current = await this.current(em, task);
    if (!current || isDeepStrictEqual(current.definition, boardPart(task.definition))) return;
    await this.release(em, actor, task, await this.activeVersions(em, task));
  }

  /**
   * Returns how the next benchmark version would differ if `definition` were the task's definition,
   * or null if there would be no new benchmark version.
   */
  async changesBy(em: EntityManager, task: Task, definition: TaskDefinition): Promise<PlannedVersion | null> {
    const current = await this.current(em, task);
    const part = boardPart(definition);
    if (!current || isDeepStrictEqual(current.definition, part)) return null;
    const alike = { metricVersions: current.metricVersions, datasets: [] };
    const changes = benchmarkChanges({ definition: current.definition, ...alike }, { definition: part, ...alike });
    return { number: current.number + 1, definition: part, changes };
  }

  /**
   * Releases a new benchmark version if one of the task's metrics, `intervals` or `board` has
   * another version than when the current benchmark version was released.
   */
  async metricsChanged(em: EntityManager, task: Task): Promise<void> {
    await lockTask(em, task);
    const current = await this.current(em, task);
    if (!current) return;
    const versions = { before: current.metricVersions, after: currentVersions(task.definition) };
    if (changedVersions(current.definition, versions).length > 0) {
      await this.release(em, null, task, await this.activeVersions(em, task));
    }
  }

  private async release(
    em: EntityManager,
    actor: Actor,
    task: Task,
    versions: readonly DatasetVersion[],
  ): Promise<BenchmarkVersion> {
    const previous = await this.current(em, task);
    const released = em.create(BenchmarkVersion, {
      task,
      number: (previous?.number ?? 0) + 1,
      datasets: versions.map((version) => version.id),
      definition: boardPart(task.definition),
      metricVersions: currentVersions(task.definition),
      amrs: null,
    });
    announce(em, task);
    await em.flush();
    await recordActivation(em, actor, task, released, previous);
    await em.flush();
    return released;
  }
}

/**
 * Emits `benchmark.released`, which requests missing evaluations, and marks the board as stale, so
 * that a board is published even if the task has no models yet.
 */
function announce(em: EntityManager, task: Task): void {
  Outbox.add(em, 'benchmark.released', { taskId: task.id });
  markBoardStale(em, task.id);
}

/** Returns the id of the original dataset: that of a perturbed dataset, or the dataset itself. */
const originalOf = (dataset: Dataset): string => dataset.original?.id ?? dataset.id;
