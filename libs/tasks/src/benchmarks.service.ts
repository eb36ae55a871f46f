import { isDeepStrictEqual } from 'node:util';
import { type BenchmarkChange, taskMetrics, type TaskDefinition } from '@assay/contracts';
import { type Actor, AuditLog } from '@assay/identity';
import { DomainError } from '@assay/kernel';
import { Outbox } from '@assay/persistence';
import { metricsFor } from '@assay/scoring';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { recordActivation } from './audited-activation.js';
import { benchmarkChanges } from './benchmark-changes.js';
import { BenchmarkVersion } from './benchmark-version.js';
import { publishedDigest } from './commitment.js';
import { type Dataset, DatasetVersion } from './dataset.js';
import { markBoardStale } from './stale-board.js';
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
   * What activating the newest proposed versions (of all datasets, or of those that are named) would put in force, and retire: perturbed
   * versions go with their originals.
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
    const isKept = (version: DatasetVersion) => !newest.has(originalOf(version.dataset));
    const perturbed = all.filter((version) => version.original && !isKept(version));
    const added = [
      ...newest.values(),
      ...perturbed.filter((version) => [...newest.values()].some(({ id }) => id === version.original!.id)),
    ];
    return {
      added,
      retired: [...active, ...candidates, ...perturbed].filter((each) => !isKept(each) && !added.includes(each)),
      inForce: [...active.filter(isKept), ...added],
    };
  }

  /**
   * Activates what is proposed, as `plan` says. The models' missing evaluations are requested by who hears
   * `benchmark.released`.
   */
  async activate(em: EntityManager, actor: Actor, task: Task, names?: readonly string[]): Promise<BenchmarkVersion> {
    await lockTask(em, task);
    const { added, retired, inForce } = await this.plan(em, task, names);
    for (const version of retired) version.status = 'retired';
    for (const version of added) version.status = 'active';
    return this.release(em, actor, task, inForce);
  }

  /**
   * Puts a version in force at once, with its perturbed ones, before any model is ranked: the benchmark version that nobody has seen is
   * amended.
   */
  async activateAtOnce(em: EntityManager, actor: Actor, task: Task, version: DatasetVersion): Promise<void> {
    const perturbed = await em.find(
      DatasetVersion,
      { original: version, status: { $ne: 'retired' } },
      { populate: ['dataset'] },
    );
    const added = [version, ...perturbed];
    const active = (await this.activeVersions(em, task)).filter((old) => !added.includes(old));
    const isKept = (old: DatasetVersion) => originalOf(old.dataset) !== version.dataset.id;
    for (const old of active) if (!isKept(old)) old.status = 'retired';
    for (const each of added) each.status = 'active';
    const current = await this.current(em, task);
    const inForce = [...active.filter(isKept), ...added];
    if (current) {
      const before = current.datasets;
      current.datasets = inForce.map((each) => each.id);
      const { definition, metricVersions } = current;
      await recordActivation(em, actor, task, current, { datasets: before, definition, metricVersions });
    } else await this.release(em, actor, task, inForce);
    announce(em, task);
  }

  /** Puts `coming` in force at once, and takes `leaving` out of it, each with its perturbed versions. The task is locked. */
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
    for (const version of coming) {
      const { dataset, number, examples } = version;
      const { digest } = publishedDigest(version, dataset.visibility);
      const subject = { kind: 'dataset' as const, id: dataset.id, name: `${task.slug}/${dataset.name}` };
      AuditLog.record(em, null, { action: 'dataset.put', subject, to: { version: number, digest, examples } });
    }
    await em.flush();
    return this.release(em, null, task, await this.activeVersions(em, task));
  }

  /** Other perturbed versions may be active than the benchmark version names: then it needs a new one. */
  async datasetsChanged(em: EntityManager, actor: Actor, task: Task): Promise<void> {
    const current = await this.current(em, task);
    const active = await this.activeVersions(em, task);
    const named = new Set(current?.datasets);
    if (current && (named.size !== active.length || active.some(({ id }) => !named.has(id)))) {
      await this.release(em, actor, task, active);
    }
  }

  /** Weights, aggregation, limits, slices or metrics were changed by the owner. */
  async definitionChanged(em: EntityManager, actor: Actor, task: Task): Promise<void> {
    const current = await this.current(em, task);
    if (!current || isDeepStrictEqual(current.definition, boardPart(task.definition))) return;
    await this.release(em, actor, task, await this.activeVersions(em, task));
  }

  /** In what the next benchmark version would differ, were this the definition of the task; null: there would be none. */
  async changesBy(
    em: EntityManager,
    task: Task,
    definition: TaskDefinition,
  ): Promise<{ readonly number: number; readonly changes: readonly BenchmarkChange[] } | null> {
    const current = await this.current(em, task);
    const part = boardPart(definition);
    if (!current || isDeepStrictEqual(current.definition, part)) return null;
    const alike = { metricVersions: current.metricVersions, datasets: [] };
    const changes = benchmarkChanges({ definition: current.definition, ...alike }, { definition: part, ...alike });
    return { number: current.number + 1, changes };
  }

  /** A metric of the task is computed by another version of it than when the benchmark version was released: then it needs a new one. */
  async metricsChanged(em: EntityManager, task: Task): Promise<void> {
    await lockTask(em, task);
    const current = await this.current(em, task);
    if (!current) return;
    const versions = metricVersionsOf(task);
    const isOther = (name: string): boolean => (current.metricVersions[name] ?? versions[name]) !== versions[name];
    if (taskMetrics(current.definition).some(isOther)) {
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
      metricVersions: metricVersionsOf(task),
      amrs: null,
    });
    announce(em, task);
    await em.flush();
    await recordActivation(em, actor, task, released, previous);
    await em.flush();
    return released;
  }
}

const metricVersionsOf = (task: Task): Readonly<Record<string, number>> =>
  Object.fromEntries(metricsFor(task.definition.output.type).map((metric) => [metric.name, metric.version]));

/** The models are asked for what they lack, and a board is published even where there is no model yet. */
function announce(em: EntityManager, task: Task): void {
  Outbox.add(em, 'benchmark.released', { taskId: task.id });
  markBoardStale(em, task.id);
}

/** The dataset that users name: of a perturbed one its original. */
const originalOf = (dataset: Dataset): string => dataset.original?.id ?? dataset.id;

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
