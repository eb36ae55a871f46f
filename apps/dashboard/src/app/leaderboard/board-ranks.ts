import { DomainError } from '@assay/kernel';
import { type MatrixFile, type MatrixRanking, RankableMatrix, rankingAmong } from '@assay/scoring';
import { BoardFigures } from './board-figures.js';
import type { BoardQuery } from './board-query.js';

type DatasetChoice = Pick<BoardQuery, 'datasets' | 'ownRounds'>;
type MetricChoice = Pick<BoardQuery, 'weights' | 'amrs' | 'exposure'>;

/** A board under some weights. */
export interface BoardRanks extends MatrixRanking {
  /** By place of a model in the file: its rank, 0 where it has none. */
  readonly ranks: Int32Array;
  /** Each metric's share of all weight, also on a board without rows; the shares sum to 1. */
  readonly shares: Readonly<Record<string, number>>;
  /** Why the weights that were asked for can't rank, in words; the task's own rank instead. */
  readonly refusal: string | null;
}

/** A board under one choice of datasets, with what can be read of it. */
export interface BoardView {
  readonly rankable: RankableMatrix;
  readonly figures: BoardFigures;
  readonly refusal: string | null;
}

/** Weights and choices as the task has them. */
export const TASKS_OWN: DatasetChoice & MetricChoice = {
  datasets: {},
  ownRounds: null,
  weights: {},
  amrs: 'official',
  exposure: null,
};

/** Weighs the datasets; by the task's own weights where those of the choice can't be. */
export function viewBoard(file: MatrixFile, choice: DatasetChoice): BoardView {
  return orByTask(choice, ({ datasets, ownRounds }, refusal) => {
    const rankable = new RankableMatrix(file.matrix, { datasets, ownRounds: ownRounds ?? undefined });
    return { rankable, figures: new BoardFigures(file, rankable), refusal };
  });
}

/** Ranks the models; by the task's own weights where those of the choice can't. */
export function rankModels({ rankable, figures, refusal: before }: BoardView, choice: MetricChoice): BoardRanks {
  return orByTask(choice, ({ weights, amrs, exposure }, refusal) => {
    const ranked = rankable.rank({ weights, amrs });
    const ranking = exposure ? rankingAmong(ranked.ranking, (model) => figures.isClean(model)) : ranked.ranking;
    const ranks = new Int32Array(rankable.matrix.ids.length);
    for (let place = 0; place < ranking.order.length; place++) ranks[ranking.order[place]!] = ranking.rank[place]!;
    return { ...ranked, ranking, ranks, shares: sharesOf(ranked.weights), refusal: refusal ?? before };
  });
}

function sharesOf(weights: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  const sum = Object.values(weights).reduce((total, weight) => total + weight, 0);
  return Object.fromEntries(Object.entries(weights).map(([name, weight]) => [name, weight / sum]));
}

/** An address can name metrics and datasets that the board has not, and sliders can take all weight away. */
function orByTask<T, C extends DatasetChoice | MetricChoice>(
  choice: C,
  make: (choice: C, refusal: string | null) => T,
): T {
  try {
    return make(choice, null);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return make(TASKS_OWN as unknown as C, error.message);
  }
}
