import { DomainError } from '@assay/kernel';
import { type MatrixFile, type MatrixRanking, RankableMatrix, rankingAmong } from '@assay/scoring/board';
import { BoardFigures } from './board-figures.js';
import type { BoardQuery } from './board-query.js';

type DatasetChoice = Pick<BoardQuery, 'datasets' | 'ownRounds'>;
type MetricChoice = Pick<BoardQuery, 'weights' | 'amrs' | 'exposure'>;

/** The ranks of a board under a choice of weights. */
export interface BoardRanks extends MatrixRanking {
  /** The rank of each model by its index in the matrix file. 0 if it has none. */
  readonly ranks: Int32Array;
  /** The share of each metric in the total weight, also on a board without rows. They sum to 1. */
  readonly shares: Readonly<Record<string, number>>;
  /** Why the requested weights cannot rank, so that the task's own do. Null if they can. */
  readonly refusal: string | null;
}

/** A board under one choice of dataset weights, with its figures. */
export interface BoardView {
  readonly rankable: RankableMatrix;
  readonly figures: BoardFigures;
  readonly refusal: string | null;
}

/** The task's own weights and choices. */
export const TASKS_OWN: DatasetChoice & MetricChoice = {
  datasets: {},
  ownRounds: null,
  weights: {},
  amrs: 'official',
  exposure: null,
};

/** Weights the datasets. Uses the task's own weights if the choice is invalid. */
export function viewBoard(file: MatrixFile, choice: DatasetChoice): BoardView {
  return orByTask(choice, ({ datasets, ownRounds }, refusal) => {
    const rankable = new RankableMatrix(file.matrix, { datasets, ownRounds: ownRounds ?? undefined });
    return { rankable, figures: new BoardFigures(file, rankable), refusal };
  });
}

/** Ranks the models. Uses the task's own weights if the choice cannot rank. */
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

/**
 * Falls back to the task's weights if `make` rejects the choice: a URL can name metrics and
 * datasets that the board does not have, and sliders can set all weights to 0.
 */
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
