import type { TrendView } from '@assay/contracts/annotating';
import type { Principal } from '@assay/identity';
import {
  type BoardDataset,
  BoardRevisionRepository,
  type CachedRevision,
  LeaderboardService,
  officialBoard,
} from '@assay/leaderboard/boards';
import { humanEstimate } from '@assay/leaderboard/summaries';
import { Promotion } from '@assay/leaderboard/promotions';
import { ownsTask, type Task } from '@assay/tasks';
import { BenchmarkVersion } from '@assay/tasks/benchmarks';
import { DatasetVersion } from '@assay/tasks/datasets';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { RoundModel } from '../rounds/round-model.js';
import { SlowAnswers } from './slow-answers.js';

/** A dataset of a round, with the board that was current when it came. */
interface RoundBoard {
  readonly dataset: BoardDataset & { readonly round: number };
  readonly revision: CachedRevision;
  /** When the next board was published; null: it is the newest. */
  readonly followed: Date | null;
}

/** The revisions and datasets by which the boards of rounds are found. */
interface Released {
  readonly revisions: Awaited<ReturnType<BoardRevisionRepository['lastOfVersions']>>;
  /** The names of the datasets of rounds, by ID of the version. */
  readonly names: ReadonlyMap<string, string>;
  /** The IDs of the dataset versions of each benchmark version. */
  readonly datasetsOf: ReadonlyMap<number, readonly string[]>;
}

const CACHED_TRENDS = 200;

const FOR_EVER = new Date(8.64e15);

/** Computes how the best models of each time performed on the rounds of that time. */
@Injectable()
export class TrendService {
  private readonly trends = new SlowAnswers<TrendView>(CACHED_TRENDS, () => 1, 0);

  constructor(
    private readonly em: EntityManager,
    private readonly leaderboards: LeaderboardService,
  ) {}

  /**
   * Returns for each round's dataset the best `count` models. Uses the last board of the first
   * benchmark version that has the dataset, with the scores that `reader` may see.
   */
  async trend(task: Task, count: number, reader: Principal | null): Promise<TrendView> {
    const released = await this.released(task);
    const against = await this.modelsInRounds(task);
    const promotions = await this.em.find(Promotion, { task }, { orderBy: { id: 'asc' } });
    const version = JSON.stringify([
      released.revisions,
      [...released.datasetsOf],
      Array.from(against, ([round, models]) => [round, ...models]),
      promotions.map(({ id, until }) => [id, until]),
    ]);
    return this.trends.get(
      `${task.id} ${count} ${ownsTask(reader, task)}`,
      () => Promise.resolve(version),
      async () => this.make(task, count, await this.roundBoards(task, released, reader), { against, promotions }),
    );
  }

  private make(
    task: Task,
    count: number,
    boards: readonly RoundBoard[],
    {
      against,
      promotions,
    }: { readonly against: ReadonlyMap<number, ReadonlySet<string>>; readonly promotions: readonly Promotion[] },
  ): TrendView {
    return {
      task: task.slug,
      performance: task.definition.performance,
      rounds: boards.map(({ dataset, revision, followed }) => {
        const end = followed ?? FOR_EVER;
        const inLoop = promotions.filter(({ since, until }) => since < end && (until ?? FOR_EVER) >= end);
        return {
          round: dataset.round,
          dataset: dataset.name,
          use: dataset.use,
          benchmarkVersion: revision.benchmarkVersion,
          revision: revision.number,
          publishedAt: revision.publishedAt.toISOString(),
          human: humanEstimate(dataset, revision.content.performance),
          models: topOf(revision, dataset.name, count, {
            against: against.get(dataset.round) ?? new Set(),
            inLoop: new Set(inLoop.map(({ model }) => model.id)),
          }),
        };
      }),
    };
  }

  private async released(task: Task): Promise<Released> {
    const versions = await this.em.find(
      DatasetVersion,
      { dataset: { task, role: 'round', perturbation: null } },
      { populate: ['dataset'] },
    );
    const benchmarks = await this.em.find(BenchmarkVersion, { task }, { orderBy: { number: 'asc' } });
    return {
      revisions: await new BoardRevisionRepository(this.em).lastOfVersions(task.id),
      names: new Map(versions.map(({ id, dataset }) => [id, dataset.name])),
      datasetsOf: new Map(benchmarks.map(({ number, datasets }) => [number, datasets])),
    };
  }

  private async roundBoards(
    task: Task,
    { revisions, names, datasetsOf }: Released,
    reader: Principal | null,
  ): Promise<readonly RoundBoard[]> {
    const found = new Map<string, RoundBoard>();
    for (const { benchmarkVersion, number, followed } of revisions) {
      const datasets = datasetsOf.get(benchmarkVersion) ?? [];
      const fresh = datasets.flatMap((id) => names.get(id) ?? []).filter((name) => !found.has(name));
      if (fresh.length === 0) continue;
      const board = await this.leaderboards.revision(task, `r${number}`, reader);
      for (const dataset of board.content.datasets) {
        const { name, round } = dataset;
        if (round !== null && fresh.includes(name))
          found.set(name, {
            dataset: { ...dataset, round },
            revision: board,
            followed: followed === null ? null : new Date(followed),
          });
      }
    }
    return [...found.values()].toSorted((one, other) => one.dataset.round - other.dataset.round);
  }

  /** Returns by number of the round the IDs of the models that were in its loop at any time. */
  private async modelsInRounds(task: Task): Promise<ReadonlyMap<number, ReadonlySet<string>>> {
    const rows = await this.em.find(RoundModel, { round: { task } }, { populate: ['round'], orderBy: { id: 'asc' } });
    const byRound = Map.groupBy(rows, ({ round }) => round.number);
    return new Map(Array.from(byRound, ([number, each]) => [number, new Set(each.map(({ model }) => model.id))]));
  }
}

function topOf(
  { content }: CachedRevision,
  dataset: string,
  count: number,
  { against, inLoop }: { readonly against: ReadonlySet<string>; readonly inLoop: ReadonlySet<string> },
): TrendView['rounds'][number]['models'] {
  const { ranking } = officialBoard(content);
  return Array.from(ranking.order.subarray(0, count), (index, place) => {
    const model = content.models[index]!;
    return {
      rank: ranking.rank[place]!,
      model: { id: model.id, name: model.name, owner: model.owner },
      value: model.cells[dataset]?.[content.performance] ?? null,
      collectedAgainst: against.has(model.id) || (model.own?.includes(dataset) ?? false),
      inLoop: inLoop.has(model.id),
    };
  });
}
