import { httpResource } from '@angular/common/http';
import { computed, effect, inject, Injectable, linkedSignal, signal } from '@angular/core';
import { decodeMatrix, type MatrixFile } from '@assay/scoring';
import { leaderboardLeaderboardResource, leaderboardLoopResource } from '../../client/@angular/common.gen.js';
import type { Leaderboard } from '../../client/types.gen.js';
import { TaskContext } from '../task/task-context.js';
import { BoardAddress } from './board-address.js';
import { allColumns, columnsOf, usualColumns } from './board-columns.js';
import { type BoardQuery, isCustom, PLAIN_QUERY, weighingOf } from './board-query.js';
import { type BoardRanks, type BoardView, rankModels, TASKS_OWN, viewBoard } from './board-ranks.js';
import { rowOrder } from './board-order.js';
import { matchingModels, shownPlaces } from './board-rows.js';
import { standingsOf } from './standings.js';
import { NO_UNRANKED, performanceAlone, unrankedRows } from './unranked-rows.js';

/** Rows below have no intervals of ranks. */
const CERTAIN_ROWS = 200;
const RESTING_MILLISECONDS = 300;

/** What is asked for, and `view`, `ranks` and `shown` of the same moment. */
export interface SettledBoard {
  readonly query: BoardQuery;
  readonly view: BoardView | undefined;
  readonly ranks: BoardRanks | undefined;
  readonly shown: Int32Array;
}

/** An answer of the API and what it was asked about. */
interface Answer {
  readonly key: string;
  readonly board: Leaderboard;
}

/**
 * All that the leaderboard shows, by what its address says: the figures of all models, their ranks under the weights (at once, in the browser),
 * and how sure these ranks are (from the API, when the weights rest).
 */
@Injectable()
export class BoardState {
  private readonly context = inject(TaskContext);
  private readonly address = inject(BoardAddress);

  readonly slug = this.context.slug;
  readonly query = this.address.query;

  private readonly asOf = computed(() => this.query().asOf);
  /** The bytes of `file`. */
  readonly matrix = httpResource.arrayBuffer(() => {
    const [slug, asOf] = [this.slug(), this.asOf()];
    if (!slug) return undefined;
    return { url: `/api/v1/tasks/${encodeURIComponent(slug)}/leaderboard/matrix`, params: { ...(asOf && { asOf }) } };
  });
  private readonly loopModels = leaderboardLoopResource(() =>
    this.slug() ? { path: { slug: this.slug() } } : undefined,
  );

  /** Every model's figures; while others are read, the last. */
  readonly file = linkedSignal<ArrayBuffer | undefined, MatrixFile | undefined>({
    source: () => (this.matrix.hasValue() ? this.matrix.value() : undefined),
    computation: (bytes, before) => (bytes ? decodeMatrix(new Uint8Array(bytes)) : before?.value),
  });
  /** Ids of the models that collection is against. */
  readonly loop = computed<ReadonlySet<string>>(
    () => new Set(this.loopModels.hasValue() ? this.loopModels.value().models.map(({ model }) => model.id) : []),
  );

  private readonly datasetChoice = computed(
    () => ({ datasets: this.query().datasets, ownRounds: this.query().ownRounds }),
    {
      equal: (a, b) => a.datasets === b.datasets && a.ownRounds === b.ownRounds,
    },
  );
  /** The figures under the datasets' weights. */
  readonly view = computed(() => {
    const file = this.file();
    return file && viewBoard(file, this.datasetChoice());
  });
  private readonly metricChoice = computed(
    () => ({ weights: this.query().weights, amrs: this.query().amrs, exposure: this.query().exposure }),
    { equal: (a, b) => a.weights === b.weights && a.amrs === b.amrs && a.exposure === b.exposure },
  );
  /** Ranks under all weights. */
  readonly ranks = computed(() => {
    const view = this.view();
    return view && rankModels(view, this.metricChoice());
  });
  /** Figures and ranks under the task's own. */
  readonly officialView = computed(() => {
    const file = this.file();
    return file && viewBoard(file, TASKS_OWN);
  });
  readonly official = computed(() => {
    const view = this.officialView();
    return view && rankModels(view, TASKS_OWN);
  });
  readonly isCustom = computed(() => isCustom(this.query()));

  /** All columns that there are, and those that are shown. */
  readonly allColumns = computed(() => allColumns(this.file()!.matrix));
  readonly usualColumns = computed(() => usualColumns(this.file()!.matrix, this.query().weights), { equal: sameNames });
  readonly columns = computed(() => columnsOf(this.allColumns(), this.query().columns ?? this.usualColumns()));

  private readonly matches = computed(() => matchingModels(this.file()!, this.filters(), this.loop()));
  private readonly filters = computed(() => this.query(), { equal: sameFilters });
  private readonly sort = computed(() => this.query().sort, {
    equal: (a, b) => a?.by === b?.by && a?.descending === b?.descending,
  });
  private readonly order = computed(() => {
    const [file, view] = [this.file(), this.view()];
    if (!file || !view) return null;
    return rowOrder(this.sort(), {
      ...{ file, figures: view.figures, columns: this.allColumns(), loop: this.loop() },
      standings: this.standings(),
    });
  });
  /** Places in the ranking, in the order of the rows: filtered and sorted. Empty until there are figures. */
  readonly shown = computed(() => {
    const ranks = this.ranks();
    return ranks ? shownPlaces(ranks.ranking, this.matches(), this.order()) : new Int32Array();
  });
  /** Scored models without a rank, and what they lack. */
  readonly unranked = computed(() => {
    const [view, ranks] = [this.view(), this.ranks()];
    return view && ranks ? unrankedRows(view, ranks, this.query().exposure) : NO_UNRANKED;
  });
  /** The models (places in the file) of the rows: those with a rank, then those without, each filtered and sorted. */
  readonly rowModels = computed(() => {
    const ranks = this.ranks();
    if (!ranks) return new Int32Array();
    const [shown, { models }] = [this.shown(), this.unranked()];
    const others = models.length > 0 ? shownPlaces({ order: models }, this.matches(), this.order()) : models;
    const rows = new Int32Array(shown.length + others.length);
    for (let index = 0; index < shown.length; index++) rows[index] = ranks.ranking.order[shown[index]!]!;
    for (let index = 0; index < others.length; index++) rows[shown.length + index] = models[others[index]!]!;
    return rows;
  });

  /** What of the state the API is asked about. */
  private readonly wanted = computed(() => {
    const { asOf } = this.query();
    const weighing = this.ranks()?.refusal ? {} : weighingOf(this.query());
    return JSON.stringify({ ...weighing, ...(asOf && { asOf }) });
  });
  private readonly rested = signal(this.wanted());
  private readonly answer = leaderboardLeaderboardResource(() => {
    const slug = this.slug();
    if (!slug) return undefined;
    const query = JSON.parse(this.rested()) as ReturnType<typeof weighingOf>;
    return { path: { slug }, query: { ...query, limit: CERTAIN_ROWS } };
  });
  private readonly answered = linkedSignal<Answer | undefined, Answer | undefined>({
    source: () => (this.answer.hasValue() ? { key: this.rested(), board: this.answer.value() } : undefined),
    computation: (answer, before) => answer ?? before?.value,
  });
  /** The first rows as the API has them, with references and models without rank; while others are read, the last. */
  readonly board = computed(() => this.answered()?.board);
  /** Whether `board` and `standings` are still those of other weights. */
  readonly isUpdating = computed(() => this.answered()?.key !== this.wanted());
  /** Figures, ranks and rows as of when weights last rested: what takes long to draw does not follow a slider that moves. */
  readonly settled = linkedSignal<SettledBoard & { readonly isResting: boolean }, SettledBoard>({
    source: () => ({
      ...{ query: this.query(), view: this.view(), ranks: this.ranks(), shown: this.shown() },
      isResting: this.rested() === this.wanted(),
    }),
    computation: (now, before) => (now.isResting || !before?.value.ranks ? now : before.value),
  });
  /** Why the API could not say how sure ranks are. */
  readonly answerError = computed(() => this.answer.error());
  /** How sure the first ranks are, by id. */
  readonly standings = computed(() => standingsOf(this.board()?.rows ?? []));

  constructor() {
    let isFirst = true;
    effect((onCleanup) => {
      const wanted = this.wanted();
      const timer = setTimeout(() => this.rested.set(wanted), isFirst ? 0 : RESTING_MILLISECONDS);
      isFirst = false;
      onCleanup(() => clearTimeout(timer));
    });
  }

  /** Changes what is shown, as a step that the browser's button takes back. */
  step(change: Partial<BoardQuery>): void {
    this.address.step(change);
  }

  /** Changes what is shown, without a step of its own. */
  change(change: Partial<BoardQuery>): void {
    this.address.change(change);
  }

  /** What a metric weighs; null: as the task says. `move` while the slider moves. */
  weighMetric(name: string, weight: number | null): void {
    this.address.move({ weights: replaced(this.query().weights, name, weight) });
  }

  /** What a dataset weighs; null: as the task says. */
  weighDataset(name: string, weight: number | null): void {
    this.address.move({ datasets: replaced(this.query().datasets, name, weight) });
  }

  /** Ranks by the performance metric alone, so that models without costs have a rank. */
  rankByPerformance(): void {
    const { weights, performance } = this.file()!.matrix;
    this.address.step({ weights: performanceAlone(weights, performance) });
  }

  /** All weights and choices as the task has them; filters and columns stay. */
  resetWeights(): void {
    const { weights, datasets, amrs, ownRounds, exposure } = PLAIN_QUERY;
    this.address.step({ weights, datasets, amrs, ownRounds, exposure });
  }

  /** The whole address of what is shown. */
  link(): string {
    return this.address.link();
  }

  /** Names of the datasets that were collected against a model. */
  ownDatasets(id: string): ReadonlySet<string> {
    const { ids, datasets, own } = this.file()!.matrix;
    const model = ids.indexOf(id);
    return new Set(
      datasets.flatMap(({ name }, dataset) => (own[model * datasets.length + dataset] === 1 ? [name] : [])),
    );
  }

  /** Reads the figures again. */
  reload(): void {
    this.matrix.reload();
    this.answer.reload();
  }
}

function replaced(
  weights: Readonly<Record<string, number>>,
  name: string,
  weight: number | null,
): Readonly<Record<string, number>> {
  const others = Object.fromEntries(Object.entries(weights).filter(([other]) => other !== name));
  return weight === null ? others : { ...others, [name]: Number(weight.toPrecision(3)) };
}

const sameNames = (a: readonly string[], b: readonly string[]): boolean => a.join() === b.join();

const sameFilters = (a: BoardQuery, b: BoardQuery): boolean =>
  (['search', 'kind', 'owner', 'sizeFrom', 'sizeTo', 'since', 'until', 'loop'] as const).every(
    (key) => a[key] === b[key],
  );
