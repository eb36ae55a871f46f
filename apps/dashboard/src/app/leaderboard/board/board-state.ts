import { httpResource } from '@angular/common/http';
import { computed, effect, inject, Injectable, linkedSignal, type Signal, signal } from '@angular/core';
import { type Leaderboard, leaderboardLeaderboardResource, leaderboardLoopResource } from '@assay/api-client/angular';
import { decodeMatrix, type MatrixFile } from '@assay/scoring/board';
import { TaskContext } from '../../task/task-context.js';
import { BoardAddress } from './board-address.js';
import { AGAINST_COLUMN, allColumns, columnsOf, type FigureColumn, usualColumns } from './board-columns.js';
import { type BoardQuery, FILTERS, isCustom, PLAIN_QUERY, weighingOf } from './board-query.js';
import {
  type BoardRanks,
  type BoardView,
  NO_UNRANKED,
  performanceAlone,
  rankModels,
  TASKS_OWN,
  unrankedRows,
  viewBoard,
} from './board-ranks.js';
import { rowOrder } from './board-order.js';
import { matchingModels, shownPlaces } from './board-rows.js';
import { type Figure, type Reference, referenceFigure, widened } from './board-figures.js';
import { standingsOf } from './standings.js';

/** The number of rows for which the API is asked for rank intervals. Later rows have none. */
const CERTAIN_ROWS = 200;
const RESTING_MILLISECONDS = 300;

/** The state, and the `view`, `ranks` and `shown` rows of the same moment. */
export interface SettledBoard {
  readonly query: BoardQuery;
  readonly view: BoardView | undefined;
  readonly ranks: BoardRanks | undefined;
  readonly shown: Int32Array;
}

/** The difference of a row from another model, or from the previous benchmark version. */
type RowDifference = NonNullable<Leaderboard['rows'][number]['against']>;

/** A response of the API, with the key of its request. */
interface Answer {
  readonly key: string;
  readonly board: Leaderboard;
}

/**
 * The data of the leaderboard page, derived from the state in the URL: the figures of all models,
 * their ranks under the weights (computed immediately, in the browser), and rank intervals (from
 * the API, after the weights have rested).
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
  private readonly loopModels = leaderboardLoopResource(this.context.path);

  /** The figures of all models. While another file loads, the previous one. */
  readonly file = linkedSignal<ArrayBuffer | undefined, MatrixFile | undefined>({
    source: () => (this.matrix.hasValue() ? this.matrix.value() : undefined),
    computation: (bytes, before) => (bytes ? decodeMatrix(new Uint8Array(bytes)) : before?.value),
  });
  /** IDs of the target models. */
  readonly loop = computed<ReadonlySet<string>>(
    () => new Set(this.loopModels.hasValue() ? this.loopModels.value().models.map(({ model }) => model.id) : []),
  );

  private readonly datasetChoice = this.part(['datasets', 'ownRounds']);
  /** The figures under the chosen dataset weights. */
  readonly view = computed(() => {
    const file = this.file();
    return file && viewBoard(file, this.datasetChoice());
  });
  private readonly metricChoice = this.part(['weights', 'amrs', 'exposure']);
  /** The ranks under the chosen metric and dataset weights. */
  readonly ranks = computed(() => {
    const view = this.view();
    return view && rankModels(view, this.metricChoice());
  });
  /** The figures and ranks under the task's own weights. */
  readonly officialView = computed(() => {
    const file = this.file();
    return file && viewBoard(file, TASKS_OWN);
  });
  readonly official = computed(() => {
    const view = this.officialView();
    return view && rankModels(view, TASKS_OWN);
  });
  readonly isCustom = computed(() => isCustom(this.query()));

  /** All columns that the board can show, the default ones, and the shown ones. */
  readonly allColumns = computed(() => allColumns(this.file()!.matrix));
  readonly metricColumns = computed(() =>
    this.allColumns().filter((column): column is FigureColumn => column.type === 'metric'),
  );
  readonly usualColumns = computed(() => usualColumns(this.file()!.matrix, this.query().weights), { equal: sameNames });
  readonly columns = computed(() => {
    const chosen = columnsOf(this.allColumns(), this.query().columns ?? this.usualColumns());
    return this.query().against === null ? chosen : [...chosen, AGAINST_COLUMN];
  });

  private readonly matches = computed(() => matchingModels(this.file()!, this.filters(), this.loop()));
  private readonly filters = this.part(FILTERS);
  private readonly sort = computed(() => this.query().sort, {
    equal: (a, b) => a?.by === b?.by && a?.descending === b?.descending,
  });
  private readonly order = computed(() => {
    const [file, view] = [this.file(), this.view()];
    if (!file || !view) return null;
    const columns = [...this.allColumns(), AGAINST_COLUMN];
    const differences = this.differences();
    return rowOrder(this.sort(), { file, figures: view.figures, columns, loop: this.loop(), differences });
  });
  /**
   * Positions in the ranking in the order of the rows, filtered and sorted. Empty while loading.
   */
  readonly shown = computed(() => {
    const ranks = this.ranks();
    return ranks ? shownPlaces(ranks.ranking, this.matches(), this.order()) : new Int32Array();
  });
  /** Scored models without a rank, and the metrics that they lack. */
  readonly unranked = computed(() => {
    const [view, ranks] = [this.view(), this.ranks()];
    return view && ranks ? unrankedRows(view, ranks, this.query().exposure) : NO_UNRANKED;
  });
  /** Models below the baseline as indices in the matrix file, best score first. */
  readonly below = computed(() => this.ranks()?.below?.order ?? new Int32Array());
  /**
   * The models of the rows as indices in the matrix file: first those with a rank, then those below
   * the baseline, then those that lack a metric, each filtered and sorted.
   */
  readonly rowModels = computed(() => {
    const ranks = this.ranks();
    if (!ranks) return new Int32Array();
    const ranked = Array.from(this.shown(), (place) => ranks.ranking.order[place]!);
    return Int32Array.of(...ranked, ...this.filtered(this.below()), ...this.filtered(this.unranked().models));
  });

  private filtered(models: Int32Array): readonly number[] {
    if (models.length === 0) return [];
    return Array.from(shownPlaces({ order: models }, this.matches(), this.order()), (place) => models[place]!);
  }

  /** The serialised query of the API for the current state, without weights that cannot rank. */
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
  private readonly againstAnswer = leaderboardLeaderboardResource(() => {
    const [slug, against] = [this.slug(), this.query().against];
    if (!slug || against === null) return undefined;
    const query = JSON.parse(this.rested()) as ReturnType<typeof weighingOf>;
    return { path: { slug }, query: { ...query, limit: CERTAIN_ROWS, against } };
  });
  /** The model or version that the rows are compared with, if the reader chose one and the API has answered. */
  readonly against = computed(() => (this.againstAnswer.hasValue() ? this.againstAnswer.value().against : undefined));
  /** Why the rows are not compared. */
  readonly againstError = computed(() => this.againstAnswer.error());
  /** The differences by model ID. */
  readonly differences = computed<ReadonlyMap<string, RowDifference>>(() => {
    const rows = this.againstAnswer.hasValue() ? this.againstAnswer.value().rows : [];
    return new Map(rows.flatMap(({ model, against }) => (against ? [[model.id, against] as const] : [])));
  });
  private readonly answered = linkedSignal<Answer | undefined, Answer | undefined>({
    source: () => (this.answer.hasValue() ? { key: this.rested(), board: this.answer.value() } : undefined),
    computation: (answer, before) => answer ?? before?.value,
  });
  /**
   * The first rows as the API returned them, with references and models without a rank. While
   * another response loads, the previous one.
   */
  readonly board = computed(() => this.answered()?.board);
  readonly references = computed<readonly Reference[]>(() => this.board()?.references ?? []);
  /** By column ID, the scale that all intervals share, those of the references included. */
  readonly scales = computed<ReadonlyMap<string, readonly [number, number]>>(() => {
    const figures = this.view()?.figures;
    if (!figures) return new Map();
    const columns = this.columns().filter((column): column is FigureColumn => column.type !== 'fact');
    return new Map(
      columns.map((column) => {
        const references = this.references().flatMap((reference) => referenceFigure(reference, column) ?? []);
        return [column.id, widened(figures.scale(column), references)];
      }),
    );
  });
  /** True while `board` and `standings` belong to earlier weights. */
  readonly isUpdating = computed(() => this.answered()?.key !== this.wanted());
  /**
   * The figures, ranks and rows of the moment when the weights last rested. Charts use it, because
   * they take too long to draw to follow a moving slider.
   */
  readonly settled = linkedSignal<SettledBoard & { readonly isResting: boolean }, SettledBoard>({
    source: () => ({
      ...{ query: this.query(), view: this.view(), ranks: this.ranks(), shown: this.shown() },
      isResting: this.rested() === this.wanted(),
    }),
    computation: (now, before) => (now.isResting || !before?.value.ranks ? now : before.value),
  });
  /** The rank intervals of the first rows, by model ID. */
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

  /** Changes the state and adds a history entry, so that the browser's back button undoes it. */
  step(change: Partial<BoardQuery>): void {
    this.address.step(change);
  }

  /** Changes the state without a history entry. */
  change(change: Partial<BoardQuery>): void {
    this.address.change(change);
  }

  /** Sets the weight of a metric while a slider moves. Null: the task's own weight. */
  weighMetric(name: string, weight: number | null): void {
    this.address.move({ weights: replaced(this.query().weights, name, weight) });
  }

  /** Sets the weight of a dataset while a slider moves. Null: the task's own weight. */
  weighDataset(name: string, weight: number | null): void {
    this.address.move({ datasets: replaced(this.query().datasets, name, weight) });
  }

  /** Ranks by the performance metric alone, so that models without costs have a rank. */
  rankByPerformance(): void {
    const { weights, performance } = this.file()!.matrix;
    this.address.step({ weights: performanceAlone(weights, performance) });
  }

  /** Resets all weights and choices to those of the task. Filters and columns stay. */
  resetWeights(): void {
    const { weights, datasets, amrs, ownRounds, exposure } = PLAIN_QUERY;
    this.address.step({ weights, datasets, amrs, ownRounds, exposure });
  }

  /** The full URL of the state. */
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

  /** The fitted figure of a model on a dataset that was collected against it. Undefined if none counts. */
  fittedFigure(id: string, dataset: string, metric: string): Figure | undefined {
    const column = this.allColumns().find((each) => each.type === 'cell' && each.id === `${metric}@${dataset}`);
    if (column?.type !== 'cell') return undefined;
    const figure = this.view()?.figures.figure(column, this.file()!.matrix.ids.indexOf(id));
    return figure?.marks.includes('estimated') ? figure : undefined;
  }

  /** Reloads the figures and the rank intervals. */
  reload(): void {
    this.matrix.reload();
    this.answer.reload();
  }

  /** A part of the state that changes only when a value under one of these keys does. */
  private part<K extends keyof BoardQuery>(keys: readonly K[]): Signal<Pick<BoardQuery, K>> {
    return computed(() => this.query(), { equal: (a, b) => keys.every((key) => a[key] === b[key]) });
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
