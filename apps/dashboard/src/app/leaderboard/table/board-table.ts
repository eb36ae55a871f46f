import { NgTemplateOutlet } from '@angular/common';
import {
  afterNextRender,
  afterRenderEffect,
  Component,
  computed,
  DestroyRef,
  ElementRef,
  inject,
  Injector,
  signal,
  viewChild,
} from '@angular/core';
import { RouterLink } from '@angular/router';
import { CompareTray } from '../../compare/compare-tray.js';
import { OwnEvaluators } from '../../evaluators/own-evaluators.js';
import { Icon, Whisker } from '../../ui/index.js';
import { Term } from '../../ui/terms/term.js';
import { type Column, startsDescending } from '../board/board-columns.js';
import { NAME_COLUMN, RANK_COLUMN } from '../board/board-order.js';
import { BoardState } from '../board/board-state.js';
import { columnName, columnUnit } from '../board/column-words.js';
import { isTiedAt, type Standing } from '../board/standings.js';
import { ReferenceRows } from './reference-rows.js';
import { RowDetails } from './row-details.js';
import { type RowLayout, rowsHeight, rowTop, type RowWindow, rowWindow } from './row-window.js';
import { compareLabel, type ShownRow, ShownRows } from './shown-rows.js';

/** The height of a row in CSS pixels, the same as in the stylesheet. */
const ROW_HEIGHT = 52;
const SPARE_ROWS = 4;
const GLIDE_MILLISECONDS = 120;

/** A column of the grid: its minimum width in CSS pixels, and its share of the remaining width. */
type Track = readonly [least: number, share: number];

/**
 * The leaderboard as a virtual table: only rows in view are in the DOM. Rows are positioned by
 * their index, so that rows that change rank glide to their new position and one row can show
 * details. The virtual scroll of the CDK supports neither.
 */
@Component({
  selector: 'app-board-table',
  imports: [Icon, NgTemplateOutlet, OwnEvaluators, ReferenceRows, RouterLink, RowDetails, Term, Whisker],
  templateUrl: './board-table.html',
  styleUrl: './board-table.scss',
})
export class BoardTable {
  protected readonly state = inject(BoardState);
  protected readonly tray = inject(CompareTray);
  protected readonly compareLabel = compareLabel;
  private readonly written = inject(ShownRows);
  private readonly injector = inject(Injector);
  private readonly destroyed = inject(DestroyRef);

  private readonly head = viewChild.required<ElementRef<HTMLElement>>('head');
  private readonly frame = viewChild.required<ElementRef<HTMLElement>>('frame');
  private readonly body = viewChild.required<ElementRef<HTMLElement>>('body');
  /**
   * The distance by which the rows are scrolled under the header, and the height of the window
   * below the header. Both in CSS pixels.
   */
  private readonly scrolled = signal(0);
  private readonly room = signal(800);
  private readonly glide = new RowGlide();

  protected readonly columnName = columnName;
  protected readonly columnUnit = columnUnit;
  protected readonly candidateWords = $localize`could be first`;
  protected readonly possibleCopyWords = $localize`It shares more errors with a model of another owner than models with like accuracy do.`;
  /** The row that the pointer or the focus is on. */
  protected readonly looked = signal<ShownRow | null>(null);
  protected readonly detailsHeight = signal(0);
  protected readonly openIndex = computed(() => {
    const open = this.state.query().open;
    const file = this.state.file();
    if (!open || !file) return -1;
    return this.state.rowModels().indexOf(file.matrix.ids.indexOf(open));
  });
  protected readonly layout = computed<RowLayout>(() => ({
    ...{ count: this.state.rowModels().length, height: ROW_HEIGHT },
    ...{ open: this.openIndex(), detailsHeight: this.openIndex() < 0 ? 0 : this.detailsHeight() },
  }));
  private readonly window = computed<RowWindow>(
    () => rowWindow(this.layout(), this.scrolled(), this.room(), SPARE_ROWS),
    { equal: (a, b) => a.start === b.start && a.end === b.end },
  );
  protected readonly rows = computed(() => {
    const { start, end } = this.window();
    return Array.from({ length: end - start }, (_, offset) => this.written.row(start + offset));
  });
  protected readonly height = computed(() => rowsHeight(this.layout()));
  /** The grid tracks of a row. They depend only on columns and table width, so all rows line up. */
  protected readonly template = computed(() => {
    const tracks = this.state.columns().map((column): Track => {
      if (column.type !== 'fact') return [124, 1];
      if (column.id === 'loop') return [64, 0];
      return [column.id === 'against' ? 140 : 104, 0.7];
    });
    const official: Track[] = this.state.isCustom() ? [[76, 0]] : [];
    const all: readonly Track[] = [[16, 0], [56, 0], [170, 1.6], ...official, [76, 0], ...tracks, [76, 0]];
    return {
      columns: all.map(([least, share]) => (share > 0 ? `minmax(${least}px, ${share}fr)` : `${least}px`)).join(' '),
      leastWidth: `${all.reduce((sum, [least]) => sum + least, 0)}px`,
    };
  });

  constructor() {
    afterNextRender(() => {
      this.watchPage();
      this.scrollTogether();
    });
    afterRenderEffect(() => {
      const [rows, layout] = [this.rows(), this.layout()];
      const tops = new Map(rows.map(({ id, index }) => [id, rowTop(layout, index)]));
      const elements = this.body().nativeElement.querySelectorAll<HTMLElement>('[data-id]');
      const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
      const byId = new Map(Array.from(elements, (element) => [element.dataset['id']!, element]));
      this.glide.moveTo(tops, byId, isStill ? 0 : GLIDE_MILLISECONDS);
    });
  }

  protected top(index: number): string {
    return `translateY(${rowTop(this.layout(), index)}px)`;
  }

  protected intervalWords({ rankLow, rankHigh }: Standing): string {
    return $localize`95% interval of the rank: ${rankLow}:low: to ${rankHigh}:high:`;
  }

  /** Returns whether a row is tied with the one that the reader looks at. */
  protected isTied({ place }: ShownRow): boolean {
    const standing = this.looked()?.standing;
    return standing !== undefined && isTiedAt(standing, place);
  }

  protected toggleOpen(id: string): void {
    this.state.change({ open: this.state.query().open === id ? null : id });
  }

  protected sortDirection(by: string): 'ascending' | 'descending' | 'none' {
    const sort = this.state.query().sort ?? { by: RANK_COLUMN, descending: false };
    if (sort.by !== by) return 'none';
    return sort.descending ? 'descending' : 'ascending';
  }

  protected sortBy(column: Column | typeof NAME_COLUMN | typeof RANK_COLUMN): void {
    const by = typeof column === 'string' ? column : column.id;
    const direction = this.sortDirection(by);
    const isFirstDown = typeof column !== 'string' && startsDescending(column);
    const descending = direction === 'none' ? isFirstDown : direction === 'ascending';
    this.state.change({ sort: by === RANK_COLUMN && !descending ? null : { by, descending } });
    if (this.scrolled() > 0) window.scrollBy(0, -this.scrolled());
  }

  /** On arrow up or down, moves the focus to the same control of the previous or next row. */
  protected walk(event: KeyboardEvent, step: 1 | -1): void {
    const control = (event.target as HTMLElement).closest<HTMLElement>('[data-control]');
    const row = control?.closest<HTMLElement>('[data-index]');
    if (!control || !row) return;
    const next = Number(row.dataset['index']) + step;
    if (next < 0 || next >= this.layout().count) return;
    event.preventDefault();
    this.bringIntoSight(next);
    this.focusOn(`[data-index="${next}"] [data-control="${control.dataset['control']}"]`);
  }

  /**
   * Focuses an element immediately if it is in the DOM, as rows next to those in view are.
   * Otherwise after the next render.
   */
  private focusOn(selector: string): void {
    const find = (): HTMLElement | null => this.body().nativeElement.querySelector<HTMLElement>(selector);
    const found = find();
    if (found) found.focus({ preventScroll: true });
    else afterNextRender(() => find()?.focus({ preventScroll: true }), { injector: this.injector });
  }

  /** Scrolls the page until the row is between the header and the end of the window. */
  private bringIntoSight(index: number): void {
    const top = this.body().nativeElement.getBoundingClientRect().top + rowTop(this.layout(), index);
    const from = this.head().nativeElement.getBoundingClientRect().bottom;
    if (top < from) window.scrollBy(0, top - from);
    else if (top + ROW_HEIGHT > window.innerHeight) window.scrollBy(0, top + ROW_HEIGHT - window.innerHeight);
  }

  private watchPage(): void {
    const measure = (): void => {
      const from = this.head().nativeElement.getBoundingClientRect().bottom;
      this.scrolled.set(Math.max(0, from - this.body().nativeElement.getBoundingClientRect().top));
      this.room.set(Math.max(0, window.innerHeight - from));
    };
    // content above or below the table also moves it
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    window.addEventListener('scroll', measure, { passive: true });
    window.addEventListener('resize', measure);
    this.destroyed.onDestroy(() => {
      observer.disconnect();
      window.removeEventListener('scroll', measure);
      window.removeEventListener('resize', measure);
    });
  }

  /**
   * Scrolls the header and the rows sideways together. The header is outside the scrolling frame,
   * because inside it could not stick to the top of the window.
   */
  private scrollTogether(): void {
    const parts = [this.head().nativeElement, this.frame().nativeElement];
    const follow = ({ target }: Event): void => {
      for (const part of parts) if (part !== target) part.scrollLeft = (target as HTMLElement).scrollLeft;
    };
    for (const part of parts) part.addEventListener('scroll', follow, { passive: true });
    this.destroyed.onDestroy(() => parts.forEach((part) => part.removeEventListener('scroll', follow)));
  }
}

/** Animates rows to their new position. Uses computed positions and never measures the page. */
class RowGlide {
  private tops: ReadonlyMap<string, number> = new Map();

  /**
   * Moves rows to new positions.
   * @param tops the top of each row in CSS pixels, by model ID
   * @param milliseconds the duration of the animation; 0: none
   */
  moveTo(tops: ReadonlyMap<string, number>, elements: ReadonlyMap<string, HTMLElement>, milliseconds: number): void {
    for (const [id, top] of tops) {
      const before = this.tops.get(id);
      if (before === undefined || before === top || milliseconds === 0) continue;
      const from = `translateY(${before}px)`;
      elements.get(id)?.animate([{ transform: from }, { transform: `translateY(${top}px)` }], {
        duration: milliseconds,
        easing: 'ease-out',
      });
    }
    this.tops = tops;
  }
}
