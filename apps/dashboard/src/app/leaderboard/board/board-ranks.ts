import { DomainError } from '@assay/kernel';
import { type MatrixFile, type MatrixRanking, RankableMatrix, type Ranking, rankingAmong } from '@assay/scoring/board';
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
    const shown = (rows: Ranking): Ranking => (exposure ? rankingAmong(rows, (model) => figures.isClean(model)) : rows);
    const ranking = shown(ranked.ranking);
    const below = ranked.below && shown(ranked.below);
    const ranks = new Int32Array(rankable.matrix.ids.length);
    for (let place = 0; place < ranking.order.length; place++) ranks[ranking.order[place]!] = ranking.rank[place]!;
    return {
      ...ranked,
      ranking,
      below,
      ranks,
      shares: sharesOf(ranked.weights),
      refusal: refusal ?? before,
    };
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

/** Scored models without a rank, because they lack a metric that has a weight. */
interface UnrankedRows {
  /** Indices in the matrix file, best performance first. */
  readonly models: Int32Array;
  /** Weighted metrics that at least one of the models lacks, by name, in the order of the board. */
  readonly lacking: readonly string[];
}

export const NO_UNRANKED: UnrankedRows = { models: new Int32Array(), lacking: [] };

/**
 * Returns models that have the performance metric but no rank. Leaves out models without that
 * metric, which are incomplete, and models that a board of clean models excludes for contamination.
 */
export function unrankedRows(
  { rankable, figures }: BoardView,
  { ranks, effective }: BoardRanks,
  exposure: BoardQuery['exposure'],
): UnrankedRows {
  const { metrics, values, performance } = rankable.board;
  const weighed = metrics.flatMap(({ name }, column) => ((effective[name] ?? 0) > 0 ? [{ name, column }] : []));
  const value = (model: number, column: number): number => values[model * metrics.length + column]!;
  const lacking = new Set<string>();
  const models: number[] = [];
  for (let model = 0; model < ranks.length; model++) {
    if (ranks[model] !== 0 || Number.isNaN(value(model, performance))) continue;
    if (exposure === 'clean' && !figures.isClean(model)) continue;
    const absent = weighed.filter(({ column }) => Number.isNaN(value(model, column)));
    if (absent.length === 0) continue;
    absent.forEach(({ name }) => lacking.add(name));
    models.push(model);
  }
  const sign = metrics[performance]!.direction === 'higher' ? -1 : 1;
  models.sort((a, b) => sign * (value(a, performance) - value(b, performance)));
  return {
    models: Int32Array.from(models),
    lacking: weighed.flatMap(({ name }) => (lacking.has(name) ? [name] : [])),
  };
}

/** Returns the changes to the task's weights that rank by the performance metric alone. */
export function performanceAlone(
  weights: Readonly<Record<string, number>>,
  performance: string,
): Readonly<Record<string, number>> {
  const others = Object.entries(weights).filter(([name, weight]) => name !== performance && weight > 0);
  return {
    ...((weights[performance] ?? 0) === 0 && { [performance]: 1 }),
    ...Object.fromEntries(others.map(([name]) => [name, 0])),
  };
}
