import type { OverviewView } from '@assay/contracts/annotating';
import type { Principal } from '@assay/identity';
import { DomainError } from '@assay/kernel';
import { aggregatesOf, LeaderboardService, officialBoard } from '@assay/leaderboard/boards';
import { Round, Task } from '@assay/tasks';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { RoundRepository } from '../rounds/round.repository.js';
import { AnnotationStatisticsRepository, type TaskFigures } from './annotation-statistics.repository.js';
import { NO_FIGURES, rateOf } from './collection-figures.js';
import { overallCurve } from './saturation.service.js';
import { SlowAnswers } from './slow-answers.js';

const LEADERS = 3;

type Item = OverviewView['items'][number];

/**
 * Gives an overview of all tasks, as in table 1 of the Dynabench paper, with the leading models.
 */
@Injectable()
export class OverviewService {
  private readonly counted = new SlowAnswers<readonly TaskFigures[]>(1, () => 1);

  constructor(
    private readonly em: EntityManager,
    private readonly leaderboards: LeaderboardService,
  ) {}

  /** Returns the overview with the scores that `reader` may see. */
  async overview(reader: Principal | null): Promise<OverviewView> {
    const tasks = await this.em.find(Task, {}, { orderBy: { createdAt: 'asc', id: 'asc' } });
    const rounds = Map.groupBy(await this.em.find(Round, {}), (round) => round.task.id);
    const figures = await this.counted.get('', () => new AnnotationStatisticsRepository(this.em).ofTasks());
    const collected = new Map(figures.map((each) => [each.task, each]));
    const imported = await new RoundRepository(this.em).importedExamples();
    const items = tasks.map(async (task): Promise<Item> => {
      const own = rounds.get(task.id) ?? [];
      const here = collected.get(task.id);
      return {
        task: task.slug,
        name: task.definition.name,
        ...(task.definition.description && { description: task.definition.description }),
        rounds: own.length,
        openRound: own.find(({ state }) => state === 'open')?.number ?? null,
        examples: (here?.examples ?? 0) + (imported.get(task.id) ?? 0),
        vmer: here ? { ...rateOf(here.vmer), pending: here.pending } : NO_FIGURES.vmer,
        ...(await this.board(task, reader)),
      };
    });
    return { items: await Promise.all(items) };
  }

  /**
   * Returns the parts of the overview that come from the task's newest board. A task without a
   * board has no models, no leaders and no saturation.
   */
  private async board(task: Task, reader: Principal | null): Promise<Pick<Item, 'models' | 'leaders' | 'saturation'>> {
    const revision = await this.leaderboards.revision(task, undefined, reader).catch((error: unknown) => {
      if (error instanceof DomainError && error.code === 'no_board_yet') return null;
      throw error;
    });
    if (!revision) return { models: 0, leaders: [], saturation: null };
    const { content } = revision;
    const weighed = officialBoard(content);
    const { order, rank, dynascore } = weighed.ranking;
    const leaders = Array.from(order.subarray(0, LEADERS), (index, place) => {
      const { id, name, owner } = content.models[index]!;
      return {
        rank: rank[place]!,
        model: { id, name, owner },
        dynascore: dynascore[place]!,
        performance: aggregatesOf(weighed, index)[content.performance] ?? null,
      };
    });
    const saturation = { performance: content.performance, ...overallCurve(content) };
    return { models: order.length, leaders, saturation };
  }
}
