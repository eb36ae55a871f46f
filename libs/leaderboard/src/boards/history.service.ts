import type { BenchmarkVersionSummary, HistoryView } from '@assay/contracts/datasets';
import type { Principal } from '@assay/identity';
import { DomainError } from '@assay/kernel';
import { Model, visibleOf } from '@assay/submissions';
import { ownsTask, type Task } from '@assay/tasks';
import { benchmarkChanges, BenchmarkVersion, type BenchmarkContent, type NamedVersion } from '@assay/tasks/benchmarks';
import { DatasetVersion, publishedDigest } from '@assay/tasks/datasets';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { BoardRevisionRepository } from './board-revision.repository.js';
import { jsonBody, type ResponseBody } from '../formats/encoded-body.js';
import { LeaderboardService, type CachedRevision } from './leaderboard.service.js';
import { scoreChanges, type VersionedBoard } from './score-changes.js';
import { OFFICIAL, weigh } from './weighed-board.js';

/** The maximum size in bytes of the cached histories. */
const CACHED_BYTES = 16 * 2 ** 20;

type Point = HistoryView['models'][number]['points'][number];

/** Shows how the benchmark of a task, and the models on it, changed over time. */
@Injectable()
export class HistoryService {
  /** By the ID of the task's newest revision: a history changes only with a new revision. */
  private readonly bodies = new LRUCache<string, ResponseBody, Task>({
    ignoreFetchAbort: true,
    maxSize: CACHED_BYTES,
    sizeCalculation: ({ bytes }) => bytes.length + 1,
    fetchMethod: async (_newest, _stale, { context: task }) => this.written(task, null),
  });

  constructor(
    private readonly em: EntityManager,
    private readonly leaderboards: LeaderboardService,
  ) {}

  /**
   * Returns the benchmark versions of a task, newest first, each with its changes from the previous
   * version.
   */
  async benchmarkVersions(task: Task): Promise<BenchmarkVersionSummary[]> {
    const versions = await this.em.find(BenchmarkVersion, { task }, { orderBy: { number: 'asc' } });
    const names = await this.namesOf(versions);
    const contents = versions.map((version) => contentOf(version, names));
    return versions
      .map((version, place): BenchmarkVersionSummary => ({
        number: version.number,
        createdAt: version.createdAt.toISOString(),
        datasets: [...contents[place]!.datasets],
        metricVersions: version.metricVersions,
        recency: version.definition.aggregate.recency,
        amrsKept: version.definition.exchange === 'fixed' || version.amrs !== null,
        changes: place === 0 ? [] : benchmarkChanges(contents[place - 1]!, contents[place]!),
      }))
      .reverse();
  }

  /**
   * Returns the score and rank of each model on the last board of each benchmark version, by the
   * task's weights at that time, with the scores that `principal` may see.
   * @param models IDs; default: all. Only if they are given, the history says why scores changed
   * @throws DomainError `unknown_model`, which names the first model that is on no board of the
   * task and that `principal` may not see
   */
  async history(task: Task, principal: Principal | null, models?: readonly string[]): Promise<HistoryView> {
    const benchmarks = new Map((await this.benchmarkVersions(task)).map((version) => [version.number, version]));
    const wanted = models && new Set(models);
    const versions: HistoryView['versions'] = [];
    const earlier = new Map<string, VersionedBoard>();
    const histories = new Map<string, HistoryView['models'][number]>();
    for (const number of await new BoardRevisionRepository(this.em).benchmarkVersions(task.id)) {
      const revision = await this.leaderboards.revision(task, `v${number}`, principal);
      const weighed = weigh(revision.content, OFFICIAL);
      const { board, ranking } = weighed;
      const versioned = { weighed, metricVersions: benchmarks.get(number)?.metricVersions ?? {} };
      versions.push({
        benchmarkVersion: number,
        revision: revision.number,
        publishedAt: revision.publishedAt.toISOString(),
        ranked: ranking.order.length,
        changes: benchmarks.get(number)?.changes ?? [],
      });
      const shown = new Map(revision.content.models.map((model) => [model.id, model]));
      for (const [place, row] of ranking.order.entries()) {
        const id = board.ids[row]!;
        if (wanted && !wanted.has(id)) continue;
        const previous = earlier.get(id);
        const point: Point = {
          benchmarkVersion: number,
          rank: ranking.rank[place]!,
          dynascore: ranking.dynascore[place]!,
          performance: board.values[row * board.metrics.length + board.performance]!,
          ...(wanted && previous && { changes: scoreChanges(previous, versioned, id) }),
        };
        if (wanted) earlier.set(id, versioned);
        historyOf(histories, shown.get(id)!).points.push(point);
      }
    }
    await this.expectVisible(task, principal, models?.filter((id) => !histories.has(id)) ?? []);
    return {
      task: task.slug,
      performance: task.definition.performance,
      versions,
      models: inOrder([...histories.values()], versions.at(-1)?.benchmarkVersion ?? 0),
    };
  }

  /**
   * Returns the history of all models as bytes. Those for readers who do not own the task are cached
   * until the next revision.
   * @param task loads the task; not called for a visitor if the history is cached
   */
  async body(slug: string, reader: Principal | null, task: () => Promise<Task>): Promise<ResponseBody> {
    const newest = await this.leaderboards.newest({ slug });
    if (newest === null) return this.written(await task(), null);
    if (reader === null) return this.bodies.get(newest) ?? this.cached(newest, await task());
    const owned = await task();
    return ownsTask(reader, owned) ? this.written(owned, reader) : this.cached(newest, owned);
  }

  private async cached(newest: string, task: Task): Promise<ResponseBody> {
    return (await this.bodies.fetch(newest, { context: task }))!;
  }

  private async written(task: Task, reader: Principal | null): Promise<ResponseBody> {
    return jsonBody(await this.history(task, reader));
  }

  private async expectVisible(task: Task, principal: Principal | null, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const possible = ids.filter((id) => z.guid().safeParse(id).success);
    const found = await this.em.find(
      Model,
      { $and: [visibleOf(task, principal), { id: { $in: possible } }] },
      { fields: ['id'] },
    );
    const unknown = ids.find((id) => !found.some((model) => model.id === id));
    if (unknown === undefined) return;
    const message = `"${task.slug}" has no model "${unknown.slice(0, 80)}" that you have access to.`;
    throw new DomainError('not-found', 'unknown_model', message);
  }

  private async namesOf(versions: readonly BenchmarkVersion[]): Promise<ReadonlyMap<string, NamedVersion>> {
    const ids = [...new Set(versions.flatMap(({ datasets }) => datasets))];
    const found = await this.em.find(
      DatasetVersion,
      { id: { $in: ids }, dataset: { perturbation: null } },
      { populate: ['dataset'] },
    );
    return new Map(
      found.map((version) => {
        const { id, dataset, number } = version;
        return [id, { name: dataset.name, version: number, ...publishedDigest(version, dataset.visibility) }];
      }),
    );
  }
}

const contentOf = (
  { datasets, definition, metricVersions }: BenchmarkVersion,
  names: ReadonlyMap<string, NamedVersion>,
): BenchmarkContent => ({ definition, metricVersions, datasets: datasets.flatMap((id) => names.get(id) ?? []) });

/** Returns the history of a model, renamed to the name on the latest of its boards. */
function historyOf(
  histories: Map<string, HistoryView['models'][number]>,
  { id, name, owner }: CachedRevision['content']['models'][number],
): HistoryView['models'][number] {
  const history = { model: { id, name, owner }, points: histories.get(id)?.points ?? [] };
  histories.set(id, history);
  return history;
}

/** Sorts the models by their rank on the newest board; models without a rank on it come last. */
function inOrder(histories: readonly HistoryView['models'][number][], newest: number): HistoryView['models'] {
  const rankOf = ({ points }: HistoryView['models'][number]): number =>
    points.find(({ benchmarkVersion }) => benchmarkVersion === newest)?.rank ?? Number.MAX_SAFE_INTEGER;
  return histories.toSorted((one, other) => rankOf(one) - rankOf(other));
}
