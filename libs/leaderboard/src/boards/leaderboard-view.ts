import { type LeaderboardQuery, type LeaderboardRow, type LeaderboardView } from '@assay/contracts/boards';
import { declareMetric, type Estimate } from '@assay/contracts/metrics';
import type { TaskDefinition } from '@assay/contracts/tasks';
import { DomainError, remembered } from '@assay/kernel';
import { paretoFront, pointsOf } from '@assay/scoring/board';
import { type RankFamily, weightStability } from '@assay/scoring/ranks';
import type { BoardContent, BoardModel } from './board-content.js';
import { weighingInWords } from './board-words.js';
import { incompleteModels } from './incomplete-models.js';
import { rankCertainty, type RankCertainty } from './rank-certainty.js';
import { explainRates, type RatesOrigin } from '../promotions/rate-explanation.js';
import type { ResamplesLookup } from './score-draws.js';
import { isBetter, majorityBaseline, references } from './reference-boards.js';
import {
  aggregatesOf,
  countedCells,
  officialRanksOf,
  weigh,
  type WeighedBoard,
  type Weighing,
  weighingOf,
} from './weighed-board.js';

export interface PublishedBoard {
  readonly number: number;
  readonly benchmarkVersion: number;
  readonly publishedAt: Date;
  readonly content: BoardContent;
  /** How exact its scores on hidden data are. Absent if the task does not round any. */
  readonly disclosure?: TaskDefinition['disclosure'];
}

/**
 * A request for a board. Fields that it does not set default to the task's values, and to all rows.
 */
export type BoardRequest = Pick<LeaderboardQuery, 'amrs'> & Partial<Omit<LeaderboardQuery, 'asOf'>>;

/** The inputs of a board besides its revision. */
export interface BoardSources {
  /**
   * Resampled values by the digest of their blob. Without them, rank intervals are drawn for each
   * model independently.
   */
  readonly resamples?: ResamplesLookup | undefined;
  /** The revision that determined the stored exchange rates, for `explain`. */
  readonly ratesOrigin?: RatesOrigin | null;
}

/** A revision ranked by some weights: the part that all its pages share. */
export interface RankedRevision {
  readonly revision: PublishedBoard;
  readonly weighing: Weighing;
  readonly weighed: WeighedBoard;
  /** Null if it was not requested. */
  readonly certainty: RankCertainty | null;
  /** The difference from the official board in words; null for the official board. */
  readonly words: string | null;
}

/**
 * Returns a board revision as it is shown, under the task's own weights or those of the request.
 * Deterministic: the same input gives the same output, to the bit.
 * @throws DomainError `unknown_metric`, `unknown_dataset`, `invalid_weight`, `all_weights_zero`,
 * `unknown_cursor`, `too_few_metrics`
 */
export function leaderboardView(
  revision: PublishedBoard,
  query: BoardRequest,
  sources: BoardSources = {},
): LeaderboardView {
  const weighing = weighingOf(query);
  const weighed = weigh(revision.content, weighing);
  const certainty = query.intervals === false ? null : rankCertainty(weighed, seedOf(revision), sources.resamples);
  const ranked = rankRevision(revision, weighing, weighed, certainty);
  return presentBoard(ranked, query, sources.ratesOrigin ?? null);
}

export const rankRevision = (
  revision: PublishedBoard,
  weighing: Weighing,
  weighed: WeighedBoard,
  certainty: RankCertainty | null,
): RankedRevision => ({ revision, weighing, weighed, certainty, words: weighingInWords(weighed, weighing) });

/** Returns the seed of the draws for a revision. */
export const seedOf = ({ content, benchmarkVersion, number }: PublishedBoard): string =>
  `${content.task} v${benchmarkVersion} r${number}`;

/**
 * Returns the requested page of a ranked revision.
 * @throws DomainError `unknown_cursor`, and as `paretoFront`
 */
export function presentBoard(ranked: RankedRevision, query: BoardRequest, origin: RatesOrigin | null): LeaderboardView {
  const { revision, weighed } = ranked;
  const { content, hardware } = weighed.scores;
  const official = ranked.words === null;
  const page = pageOf(weighed, query);
  const rows = references(weighed);
  return {
    schema: weighed.schema,
    task: content.task,
    benchmarkVersion: revision.benchmarkVersion,
    revision: revision.number,
    publishedAt: revision.publishedAt.toISOString(),
    official,
    ...(ranked.words !== null && { weighing: ranked.words }),
    ...(revision.disclosure && { disclosure: revision.disclosure }),
    ...(weighed.provisional !== undefined && { provisional: weighed.provisional }),
    ...(weighed.ranking.degenerate && { degenerate: weighed.ranking.degenerate }),
    metrics: shownMetrics(weighed),
    datasets: shownDatasets(weighed),
    ...(hardware !== null && { hardware }),
    ...((official || query.explain) && { stability: stabilityOf(ranked) }),
    ...(query.pareto && { pareto: query.pareto }),
    ...(query.explain && { explanation: explainRates(weighed, ranked.weighing, origin) }),
    rows: rowsOf(ranked, page.places, query, majorityBaseline(rows)),
    references: rows,
    incomplete: incompleteModels(weighed).filter(({ model }) =>
      matches(content.models[weighed.scores.places.get(model.id)!]!, query),
    ),
    ...(page.next !== null && { nextCursor: page.next }),
  };
}

const matches = (model: BoardModel, { kind, owner }: BoardRequest): boolean =>
  (kind === undefined || model.kind === kind) && (owner === undefined || model.owner === owner);

/** The model indices of the rows of a board: the ranked ones, then those below the baseline. */
const rowOrder = ({ ranking, below }: WeighedBoard): Int32Array =>
  below && below.order.length > 0 ? Int32Array.of(...ranking.order, ...below.order) : ranking.order;

/**
 * Returns the places of the requested models after the cursor, at most `limit`. The cursor is the
 * ID of the last model on the previous page.
 */
function pageOf(
  weighed: WeighedBoard,
  query: BoardRequest,
): { readonly places: readonly number[]; readonly next: string | null } {
  const { scores } = weighed;
  const { models } = scores.content;
  const order = rowOrder(weighed);
  const { cursor, limit = Infinity } = query;
  const start = cursor === undefined ? 0 : order.indexOf(scores.places.get(cursor) ?? -1) + 1;
  if (cursor !== undefined && start === 0) {
    throw new DomainError('invalid', 'unknown_cursor', 'Invalid cursor. Repeat the request without `cursor`.');
  }
  const found = order
    .keys()
    .drop(start)
    .filter((place) => matches(models[order[place]!]!, query))
    .take(limit + 1)
    .toArray();
  const places = found.slice(0, limit);
  return {
    places,
    next: found.length > limit ? models[order[places.at(-1)!]!]!.id : null,
  };
}

function rowsOf(
  ranked: RankedRevision,
  places: readonly number[],
  query: BoardRequest,
  majority: Readonly<Record<string, Estimate>>,
): LeaderboardRow[] {
  const { weighed } = ranked;
  const { content } = weighed.scores;
  const order = rowOrder(weighed);
  const officialRanks = officialRanksOf(content);
  const baseline = majority[content.performance]?.value;
  const front = query.pareto && new Set(paretoFront(weighed.board, query.pareto));
  return places.map((place) => {
    const index = order[place]!;
    const model = content.models[index]!;
    const standing = standingOf(ranked, place);
    const metrics = aggregatesOf(weighed, index);
    const performance = metrics[content.performance]!;
    return {
      ...standing,
      officialRank: ranked.words === null ? standing.rank : officialRanks[index]! || null,
      dynascore: scoreAt(weighed, place),
      ...(weighed.schema > 1 && { points: pointsOf(weighed.board, weighed.ranking.coefficients, index) }),
      ...(baseline !== undefined && {
        aboveMajority: isBetter(content.performance, performance, baseline),
      }),
      ...(front && { front: front.has(index) }),
      ...(model.copies !== undefined && { copies: copiesOf(content, model) }),
      ...(model.possibleCopyOf && { possibleCopyOf: [...model.possibleCopyOf] }),
      ...submissionOf(model),
      metrics,
      datasets: countedCells(weighed, index),
    };
  });
}

const copyGroups = new WeakMap<BoardContent, ReadonlyMap<number | undefined, readonly BoardModel[]>>();

/** Returns the IDs of the other models of the group of copies. */
function copiesOf(content: BoardContent, { id, copies }: BoardModel): string[] {
  const groups = remembered(copyGroups, content, () => Map.groupBy(content.models, (model) => model.copies));
  return groups.get(copies)!.flatMap((other) => (other.id === id ? [] : [other.id]));
}

const scoreAt = ({ ranking, below }: WeighedBoard, place: number): number =>
  ranking.dynascore[place] ?? below!.dynascore[place - ranking.order.length]!;

type Certainty = Pick<LeaderboardRow, 'rankLow' | 'rankHigh' | 'couldBeFirst' | 'tie' | 'tied' | 'tieHead' | 'first'>;

/** Returns the rank of a row and how certain it is. A row below the baseline has none. */
function standingOf(ranked: RankedRevision, place: number): Pick<LeaderboardRow, 'rank' | 'belowBaseline'> & Certainty {
  const { rules, ranking } = ranked.weighed;
  const rank = ranking.rank[place];
  if (rank === undefined) {
    return { rank: null, rankLow: null, rankHigh: null, couldBeFirst: false, tie: false, belowBaseline: true };
  }
  return { rank, ...certaintyOf(ranked, place, rank), ...(rules > 1 && { belowBaseline: false }) };
}

/** Returns how certain the rank of a place is. */
function certaintyOf({ weighed, certainty }: RankedRevision, place: number, rank: number): Certainty {
  const isFamily = weighed.schema > 1;
  if (!certainty)
    return { rankLow: null, rankHigh: null, tie: false, ...(isFamily ? { couldBeFirst: null } : { first: null }) };
  if ('family' in certainty) return familyStanding(certainty.family, place);
  const interval = certainty.intervals[place];
  const head = certainty.tied.get(place);
  return {
    rankLow: interval?.rankLow ?? rank,
    rankHigh: interval?.rankHigh ?? rank,
    tie: head !== undefined,
    ...(head !== undefined && { tieHead: weighed.scores.content.models[weighed.ranking.order[head]!]!.id }),
    first: interval?.first ?? null,
  };
}

/** The family has the first places alone; the ranks of others have no interval. */
function familyStanding(
  family: RankFamily,
  place: number,
): Pick<LeaderboardRow, 'rankLow' | 'rankHigh' | 'couldBeFirst' | 'tie' | 'tied'> {
  const { ranks } = family;
  const found = ranks[place];
  if (!found || found.rankLow === null) return { rankLow: null, rankHigh: null, couldBeFirst: null, tie: false };
  const tied = ranks.flatMap(({ rankLow }, other) =>
    other !== place && rankLow !== null && !family.isSeparated(place, other) ? [other + 1] : [],
  );
  return { ...found, tie: tied.includes(place), tied: rangesOf(tied) };
}

/** Returns ascending numbers as ranges: `[1, 2, 3, 7]` as `[[1, 3], [7, 7]]`. */
function rangesOf(numbers: readonly number[]): [from: number, to: number][] {
  const ranges: [number, number][] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last && last[1] === number - 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges;
}

/** Returns the part of a row that does not depend on the weights. */
function submissionOf({
  id,
  name,
  owner,
  kind,
  attempts,
  size,
  acceptedAt,
  evaluators,
  own,
  counted,
  exposure,
}: BoardModel): Pick<
  LeaderboardRow,
  'model' | 'kind' | 'attempts' | 'size' | 'acceptedAt' | 'evaluators' | 'own' | 'counted' | 'exposure'
> {
  return {
    model: { id, name, owner },
    kind,
    ...(attempts !== undefined && { attempts }),
    ...(size !== undefined && { size }),
    ...(acceptedAt !== undefined && { acceptedAt }),
    ...(evaluators && { evaluators }),
    ...(own && own.length > 0 && { own: [...own] }),
    ...(counted && { counted }),
    ...(exposure && { exposure }),
  };
}

const shownMetrics = ({ schema, scores, board, weights, calibration }: WeighedBoard): LeaderboardView['metrics'] =>
  scores.content.metrics.map((name, column) => {
    const { direction, unit } = declareMetric(name, scores.content.performance)!;
    const signature = scores.content.signatures?.[name];
    return {
      ...{ name, direction, unit, weight: weights[name] ?? 0, amrs: calibration?.amrs[name] ?? null },
      ...(schema > 1 && { rate: board.metrics[column]!.exchange?.rate ?? null }),
      ...(signature !== undefined && { signature }),
    };
  });

const shownDatasets = ({ scores: { content }, datasetWeights }: WeighedBoard): LeaderboardView['datasets'] =>
  content.datasets.map(({ name, version, role, round, examples }) => ({
    name,
    version,
    role,
    ...(round !== null && { round }),
    examples,
    weight: datasetWeights[name] ?? 0,
  }));

function stabilityOf({ revision, weighed }: RankedRevision): NonNullable<LeaderboardView['stability']> {
  const seed = `${seedOf(revision)} weights`;
  const { board, effective, calibration, rankable, below } = weighed;
  const options = { seed, excluded: below && rankable.isBelow };
  const { firsts, ...stability } = weightStability(board, effective, calibration, options);
  return { ...stability, firsts: firsts.map((each) => ({ ...each })) };
}
