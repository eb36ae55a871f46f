import {
  type Estimate,
  type LeaderboardQuery,
  type LeaderboardRow,
  type LeaderboardView,
  METRICS,
} from '@assay/contracts';
import { DomainError } from '@assay/kernel';
import { aggregate, incompleteRows, type RankInterval, independentRanks, referenceRows } from '@assay/scoring';
import type { BoardContent, BoardDataset, BoardModel } from './board-content.js';
import { isScoring, OFFICIAL, weigh, type WeighedBoard } from './weighed-board.js';

export interface PublishedBoard {
  readonly number: number;
  readonly benchmarkVersion: number;
  readonly publishedAt: Date;
  readonly content: BoardContent;
}

type Weighing = Pick<LeaderboardQuery, 'weights' | 'datasets' | 'amrs'>;

const isEmpty = (names: object | undefined): boolean => Object.keys(names ?? {}).length === 0;

/** A board revision as it is shown, under the task's own weights or those of the request. The same in, the same out, to the bit. */
export function leaderboardView(revision: PublishedBoard, query: Weighing): LeaderboardView {
  const { content } = revision;
  const weighed = weigh(content, { weights: query.weights ?? {}, datasets: query.datasets ?? {}, amrs: query.amrs });
  const official = isEmpty(query.weights) && isEmpty(query.datasets) && query.amrs === 'official';
  return {
    task: content.task,
    benchmarkVersion: revision.benchmarkVersion,
    revision: revision.number,
    publishedAt: revision.publishedAt.toISOString(),
    official,
    provisional: weighed.provisional,
    ...(weighed.ranking.degenerate && { degenerate: weighed.ranking.degenerate }),
    metrics: content.metrics.map((name) => ({
      name,
      direction: METRICS[name]!.direction,
      unit: METRICS[name]!.unit,
      weight: weighed.weights[name] ?? 0,
      amrs: weighed.calibration.amrs[name] ?? null,
    })),
    datasets: content.datasets.map(({ name, version, role, round, examples }) => ({
      name,
      version,
      role,
      ...(round !== null && { round }),
      examples,
      weight: weighed.datasetWeights[name] ?? 0,
    })),
    rows: rankedRows(revision, weighed, official),
    references: references(content, weighed),
    incomplete: incompleteModels(content, weighed),
  };
}

/** The rows behind the cursor (the id of the last model that was given), at most `limit`; all where none is named. */
export function leaderboardPage(
  view: LeaderboardView,
  { limit = Infinity, cursor }: Pick<LeaderboardQuery, 'limit' | 'cursor'>,
): LeaderboardView {
  const start = cursor === undefined ? 0 : view.rows.findIndex((row) => row.model.id === cursor) + 1;
  if (cursor !== undefined && start === 0) {
    throw new DomainError('invalid', 'unknown_cursor', 'No row of this board has this cursor. Start again without it.');
  }
  const rows = view.rows.slice(start, start + limit);
  const last = rows.at(-1);
  const isCut = last !== undefined && start + limit < view.rows.length;
  return { ...view, rows, ...(isCut && { nextCursor: last.model.id }) };
}

function rankedRows(revision: PublishedBoard, weighed: WeighedBoard, official: boolean): LeaderboardRow[] {
  const { content } = revision;
  const { board, ranking } = weighed;
  const seed = `${content.task} v${revision.benchmarkVersion} r${revision.number}`;
  const intervals = independentRanks(board, ranking, { seed });
  const tied = tieGroups(intervals);
  const officialRanks = official ? null : ranksById(weigh(content, OFFICIAL));
  return Array.from(ranking.order, (index, place) => {
    const model = content.models[index]!;
    const rank = ranking.rank[place]!;
    return {
      rank,
      rankLow: intervals[place]?.rankLow ?? rank,
      rankHigh: intervals[place]?.rankHigh ?? rank,
      tie: tied.has(place),
      officialRank: officialRanks ? (officialRanks.get(model.id) ?? null) : rank,
      model: reference(model),
      dynascore: ranking.dynascore[place]!,
      metrics: weighed.aggregates[index]!,
      datasets: model.cells,
    };
  });
}

/** Places in a group of more than one: a row and the consecutive rows below that are not separated from it. */
function tieGroups(intervals: readonly RankInterval[]): ReadonlySet<number> {
  const tied = new Set<number>();
  for (let head = 0; head < intervals.length;) {
    const last = Math.min(head + intervals[head]!.tie, intervals.length - 1);
    if (last > head) for (let place = head; place <= last; place++) tied.add(place);
    head = last + 1;
  }
  return tied;
}

function ranksById({ board, ranking }: WeighedBoard): ReadonlyMap<string, number> {
  return new Map(Array.from(ranking.order, (index, place) => [board.ids[index]!, ranking.rank[place]!]));
}

function references(content: BoardContent, weighed: WeighedBoard): LeaderboardView['references'] {
  const performance = content.metrics.filter((name) => METRICS[name]!.unit === 'ratio');
  return (['majority', 'random'] as const).flatMap((name) => {
    const perDataset: Record<string, Record<string, Estimate>> = {};
    for (const dataset of content.datasets) {
      const cell = referenceCell(dataset, name, performance);
      if (cell) perDataset[dataset.name] = cell;
    }
    const metrics: Record<string, Estimate> = {};
    for (const metric of performance) {
      const cells = Object.fromEntries(Object.entries(perDataset).map(([dataset, cell]) => [dataset, cell[metric]]));
      const { estimate } = aggregate(cells, weighed.datasetWeights);
      if (estimate) metrics[metric] = { value: estimate.value, low: null, high: null };
    }
    return Object.keys(perDataset).length > 0 ? [{ name, metrics, datasets: perDataset }] : [];
  });
}

function referenceCell(
  dataset: BoardDataset,
  name: 'majority' | 'random',
  metrics: readonly string[],
): Record<string, Estimate> | null {
  if (!dataset.goldCounts) return null;
  const row = referenceRows(dataset.goldCounts, metrics).find((each) => each.name === name);
  return row
    ? Object.fromEntries(
        Object.entries(row.metrics).map(([metric, value]) => [metric, { value, low: null, high: null }]),
      )
    : null;
}

/** The aggregate of the majority's reference row: what `minimum: {…: baseline}` asks a model to lie above. */
export function majorityBaseline(content: BoardContent, weighed: WeighedBoard): Readonly<Record<string, Estimate>> {
  return references(content, weighed).find((row) => row.name === 'majority')?.metrics ?? {};
}

function incompleteModels(content: BoardContent, weighed: WeighedBoard): LeaderboardView['incomplete'] {
  const lacking = new Map(incompleteRows(weighed.board, weighed.weights).map(({ id, missing }) => [id, missing]));
  return content.models.flatMap((model) => {
    const metrics = lacking.get(model.id);
    if (!metrics) return [];
    const scoring = content.datasets.filter(isScoring);
    const weighing = scoring.filter((dataset) => (weighed.datasetWeights[dataset.name] ?? 0) > 0);
    const missing =
      weighing.length > 0
        ? weighing.flatMap((dataset) => whyIncomplete(model, dataset.name, metrics))
        : scoring.map((dataset) => tooSmall(dataset, content.aggregate.minimumExamples));
    return [{ model: reference(model), missing }];
  });
}

const tooSmall = ({ name, examples }: BoardDataset, minimum: number) => ({
  dataset: name,
  why: `its ${examples} examples are too few to rank: the task's aggregate.minimumExamples is ${minimum}`,
});

function whyIncomplete(
  model: BoardModel,
  dataset: string,
  metrics: readonly string[],
): { dataset: string; why: string }[] {
  const cell = model.cells[dataset];
  if (!cell) return [{ dataset, why: model.missing[dataset] ?? 'not yet: it waits for its turn' }];
  const absent = metrics.filter((name) => !cell[name]);
  if (absent.length === 0) return [];
  const reason =
    model.kind === 'predictions'
      ? 'predictions were uploaded, nothing ran here'
      : 'too few requests, or nothing was measured';
  return [{ dataset, why: `no ${absent.join(', ')}: ${reason}` }];
}

const reference = ({ id, name, owner }: BoardModel) => ({ id, name, owner });
