import type { LeaderboardRow, LeaderboardView } from '@assay/contracts/boards';
import { declareMetric } from '@assay/contracts/metrics';
import type { NeededExamples, RoundPlan } from '@assay/contracts/planning';
import type { Principal } from '@assay/identity';
import { DomainError } from '@assay/kernel';
import { LeaderboardService } from '@assay/leaderboard/boards';
import { ModelSpreads, type PairSpreads } from '@assay/leaderboard/comparison';
import { neededExamples, pooledSpread } from '@assay/scoring/planner';
import { ownsTask, shownDisclosure, type Task } from '@assay/tasks';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { PaidExamplesRepository } from './paid-examples.repository.js';

/** The number of rows that have rank intervals, which are compared in one family. */
const FAMILY_ROWS = 200;
/** The largest number of planned models; their pairs are 45. */
const MOST_PLANNED = 10;
const POINTS = 100;

/** Plans the size of the next round of a task. */
@Injectable()
export class RoundPlans {
  constructor(
    private readonly em: EntityManager,
    private readonly boards: LeaderboardService,
    private readonly spreads: ModelSpreads,
  ) {}

  /**
   * Returns the number of examples that the next round needs so that the top models can be told
   * apart, from the figures that `principal` may see. The expected pay is for the owner alone.
   * @param detect the difference to detect: in points where the metric is a ratio, else in its unit
   */
  async plan(principal: Principal | null, task: Task, detect: number): Promise<RoundPlan> {
    const { performance, aggregate } = task.definition;
    const unit = declareMetric(performance, performance)!.unit;
    const scale = unit === 'ratio' ? POINTS : 1;
    const board = await this.board(principal, task);
    const ranked = (board?.rows ?? []).filter(({ rankLow }) => rankLow !== null);
    const planned = plannedRows(ranked);
    const pairsOnBoard = (ranked.length * (ranked.length - 1)) / 2;
    const found = await this.spreads.of(
      principal,
      task,
      planned.map(({ model }) => model.id),
    );
    const pairs = found.map((pair) => plannedPair(pair, { detect, scale, pairsOnBoard }));
    const needed = largest(pairs.map((pair) => pair.needed));
    const neededOnBoard = largest(pairs.map((pair) => pair.neededOnBoard));
    const datasets = found.flatMap((pair) => pair.datasets.map(({ version }) => version.dataset));
    const { written, ranking } = await new PaidExamplesRepository(this.em).rankingYield(task.id);
    const writtenPerExample = ranking === 0 ? null : written / ranking;
    const toWrite = examplesToWrite(needed, writtenPerExample);
    const toWriteOnBoard = examplesToWrite(neededOnBoard, writtenPerExample);
    return {
      task: task.slug,
      performance,
      unit: unit === 'ratio' ? 'points' : unit,
      detect,
      revision: board?.revision ?? null,
      ...shownDisclosure(principal, task, datasets),
      ranked: ranked.length,
      pairsOnBoard,
      couldBeFirst: ranked.filter(couldBeFirst).length,
      models: planned.flatMap(({ rank, model }) => (rank === null ? [] : [{ rank, model }])),
      pairs,
      needed,
      neededOnBoard,
      minimumExamples: aggregate.minimumExamples,
      writtenPerExample,
      toWrite,
      toWriteOnBoard,
      ...(ownsTask(principal, task) && { costs: await this.costs(task, toWrite, toWriteOnBoard) }),
    };
  }

  private async board(principal: Principal | null, task: Task): Promise<LeaderboardView | null> {
    try {
      return await this.boards.board(task, { limit: FAMILY_ROWS, amrs: 'official' }, principal);
    } catch (error) {
      if (error instanceof DomainError && error.code === 'no_board_yet') return null;
      throw error;
    }
  }

  private async costs(
    task: Task,
    toWrite: number | null,
    toWriteOnBoard: number | null,
  ): Promise<NonNullable<RoundPlan['costs']>> {
    const paid = await new PaidExamplesRepository(this.em).ofTask(task.id);
    return paid
      .filter(({ examples }) => examples > 0)
      .map(({ currency, paid: amount, examples }) => {
        const cost = (count: number | null): number | null => (count === null ? null : (count * amount) / examples);
        return {
          currency,
          perExample: amount / examples,
          needed: cost(toWrite),
          neededOnBoard: cost(toWriteOnBoard),
        };
      });
  }
}

const couldBeFirst = ({ rankLow }: LeaderboardRow): boolean => rankLow === 1;

/**
 * Returns the rows that could be first without copies of others, at most `MOST_PLANNED`; the first two
 * if there are fewer.
 */
export function plannedRows(ranked: readonly LeaderboardRow[]): readonly LeaderboardRow[] {
  const distinct = ranked.filter(
    ({ copies = [] }, place) => !ranked.slice(0, place).some(({ model }) => copies.includes(model.id)),
  );
  const first = distinct.filter(couldBeFirst).slice(0, MOST_PLANNED);
  return first.length >= 2 ? first : distinct.slice(0, 2);
}

interface Planning {
  readonly detect: number;
  /** The factor from the unit of the metric to that of `detect`. */
  readonly scale: number;
  readonly pairsOnBoard: number;
}

function plannedPair(
  { a, b, datasets }: PairSpreads,
  { detect, scale, pairsOnBoard }: Planning,
): RoundPlan['pairs'][number] {
  const rounds = datasets.filter(({ version }) => version.dataset.role === 'round');
  const used = rounds.length > 0 ? rounds : datasets;
  const pair = { a: a.id, b: b.id, datasets: used.map(({ version }) => version.dataset.name) };
  if (used.length === 0) {
    return {
      ...pair,
      ...{ difference: null, examples: 0, designEffect: null, needed: null, neededOnBoard: null },
      why: 'No dataset has answers of both models that differ, with at least five independent clusters of examples.',
    };
  }
  const spread = pooledSpread(used.map((each) => each.spread));
  return {
    ...pair,
    difference: spread.difference * scale,
    examples: spread.examples,
    designEffect: spread.designEffect,
    needed: neededExamples(spread, detect / scale),
    neededOnBoard: neededExamples(spread, detect / scale, pairsOnBoard),
    why: null,
  };
}

const largest = (needed: readonly (NeededExamples | null)[]): NeededExamples | null =>
  needed.reduce((most, each) => (most && (!each || each.value <= most.value) ? most : each), null);

const examplesToWrite = (needed: NeededExamples | null, perExample: number | null): number | null =>
  needed === null || perExample === null ? null : Math.ceil(needed.value * perExample);
