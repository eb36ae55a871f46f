import { isDeepStrictEqual } from 'node:util';
import { type TaskChangePreview } from '@assay/contracts/datasets';
import { boardMetrics, type TaskDefinition, taskWeights } from '@assay/contracts/tasks';
import { countStale } from '@assay/evaluation/evaluations';
import { type Task } from '@assay/tasks';
import { BenchmarksService, type PlannedVersion } from '@assay/tasks/benchmarks';
import { BOARD_VERSION } from '@assay/scoring';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { BoardContent } from './board-content.js';
import { exchangeOf } from './board-content.service.js';
import { BoardRevisionRepository } from './board-revision.repository.js';
import { PromotionsService } from '../promotions/promotions.service.js';
import { officialRanksOf, OFFICIAL, weigh } from './weighed-board.js';

/** The number of models on the board to show. */
const TOLD = 20;

/** Previews the effect of another task definition on the board and the loop. Saves nothing. */
@Injectable()
export class ChangePreviews {
  constructor(
    private readonly em: EntityManager,
    private readonly benchmarks: BenchmarksService,
    private readonly promotions: PromotionsService,
  ) {}

  async of(task: Task, definition: TaskDefinition): Promise<TaskChangePreview> {
    const released = await this.benchmarks.changesBy(this.em, task, definition);
    const isPerturbedAlike =
      isDeepStrictEqual(definition.perturbations, task.definition.perturbations) &&
      definition.language === task.definition.language;
    return {
      benchmarkVersion: released?.number ?? null,
      changes: [...(released?.changes ?? [])],
      rescored: await countStale(this.em, task, definition),
      evaluations: isPerturbedAlike ? 0 : null,
      ...(await this.boardAfter(task, definition, released)),
    };
  }

  private async boardAfter(
    task: Task,
    definition: TaskDefinition,
    released: PlannedVersion | null,
  ): Promise<Pick<TaskChangePreview, 'board' | 'loop'>> {
    const latest = await new BoardRevisionRepository(this.em).newestWhole(task);
    if (!latest || boardMetrics(definition).some((name) => !latest.content.metrics.includes(name))) {
      return { board: null, loop: null };
    }
    const then = contentAfter(latest.content, definition, released);
    return { board: ranksOf(latest.content, then), loop: await this.promotions.preview(task, definition.loop, then) };
  }
}

function contentAfter(now: BoardContent, definition: TaskDefinition, released: PlannedVersion | null): BoardContent {
  const changed = { ...now, weights: taskWeights(definition), aggregate: definition.aggregate };
  delete changed.utilities;
  // exchange rates belong to a benchmark version
  const exchange = released && exchangeOf(released.definition);
  return {
    ...changed,
    ...(definition.utilities && { utilities: definition.utilities }),
    ...(exchange && { schema: 2, rules: BOARD_VERSION, exchange, amrs: null }),
  };
}

function ranksOf(now: BoardContent, then: BoardContent): NonNullable<TaskChangePreview['board']> {
  const ranks = officialRanksOf(now);
  const { ranking } = weigh(then, OFFICIAL);
  return Array.from(ranking.order.slice(0, TOLD), (index, place) => {
    const { id, name } = then.models[index]!;
    return {
      id,
      name,
      rank: ranks[index] || null,
      newRank: ranking.rank[place]!,
      dynascore: ranking.dynascore[place]!,
    };
  });
}
