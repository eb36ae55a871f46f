import { BreakpointObserver } from '@angular/cdk/layout';
import { Component, computed, effect, ElementRef, inject, signal, viewChild } from '@angular/core';
import { toSignal } from '@angular/core/rxjs-interop';
import { MatButton } from '@angular/material/button';
import { RouterLink } from '@angular/router';
import { map } from 'rxjs';
import { TaskContext } from '../task/task-context.js';
import { DisclosureNote, Empty, Icon, PageHeader, Skeleton, When } from '../ui/index.js';
import { Failure } from '../ui/states/failure.js';
import { problemOf } from '../session/problem.js';
import { BoardAddress } from './board/board-address.js';
import { BoardCards } from './table/board-cards.js';
import { BoardMenu } from './board-menu.js';
import { BoardLegend } from './table/board-legend.js';
import { BoardState } from './board/board-state.js';
import { BoardTable } from './table/board-table.js';
import { BoardToolbar } from './board-toolbar.js';
import { FirstStays } from './table/first-stays.js';
import { RadarPanel } from './charts/radar-panel.js';
import { ScatterPanel } from './charts/scatter-panel.js';
import { WhyScore } from './charts/why-score.js';
import { filterCount } from './board/board-query.js';
import {
  againstSentence,
  belowSentence,
  rankAloneLabel,
  candidatesSentence,
  unrankedSentence,
} from './board/column-words.js';
import { ShownRows } from './table/shown-rows.js';
import { candidateCount } from './board/standings.js';
import { UnrankedModels } from './unranked-models.js';
import { WeightsPanel } from './weights-panel.js';

/** The leaderboard of a task. Ranks follow a slider immediately, rank intervals after it rests. */
@Component({
  selector: 'app-leaderboard-page',
  imports: [
    BoardCards,
    BoardMenu,
    BoardLegend,
    BoardTable,
    BoardToolbar,
    DisclosureNote,
    Empty,
    FirstStays,
    Failure,
    Icon,
    MatButton,
    PageHeader,
    RouterLink,
    RadarPanel,
    ScatterPanel,
    Skeleton,
    UnrankedModels,
    WeightsPanel,
    When,
    WhyScore,
  ],
  providers: [BoardAddress, BoardState, ShownRows],
  templateUrl: './leaderboard-page.html',
  styleUrl: './leaderboard-page.scss',
})
export class LeaderboardPage {
  protected readonly state = inject(BoardState);
  protected readonly context = inject(TaskContext);
  private readonly breakpoints = inject(BreakpointObserver);
  private readonly sheet = viewChild<ElementRef<HTMLDialogElement>>('sheet');

  /** True on narrow screens, which show cards instead of the table. */
  protected readonly isNarrow = this.matches('(max-width: 640px)');
  protected readonly hasPanel = this.matches('(min-width: 1081px)');
  protected readonly isSheetOpen = signal(false);
  protected readonly problem = computed(() => {
    const error = this.state.matrix.error();
    return error && !this.state.file() ? problemOf(error) : undefined;
  });
  protected readonly ties = computed(() => {
    const count = this.state.ranks()?.ranking.order.length ?? 0;
    return this.state.isUpdating() ? '' : candidatesSentence(candidateCount(this.state.standings()), count);
  });
  /** The charts need models with a rank. */
  protected readonly hasRankedModels = computed(() => (this.state.ranks()?.ranking.order.length ?? 0) > 0);
  protected readonly filterCount = computed(() => filterCount(this.state.query()));
  protected readonly belowSentence = computed(() => belowSentence(this.state.below().length));
  protected readonly unrankedSentence = computed(() => {
    const { models, lacking } = this.state.unranked();
    const metrics = this.state.file()!.matrix.metrics.filter(({ name }) => lacking.includes(name));
    return unrankedSentence(models.length, metrics);
  });
  /** The model or version that the rows are compared with, or why they are not compared. */
  protected readonly againstSentence = computed(() => {
    const error = this.state.againstError();
    if (error) return problemOf(error).detail;
    const against = this.state.against();
    if (!against) return '';
    const { metric, rows, model, benchmarkVersion } = against;
    return againstSentence(metric, rows, {
      ...(model && { model: model.name }),
      ...(benchmarkVersion !== undefined && { version: benchmarkVersion }),
    });
  });
  protected readonly rankByPerformance = computed(() => rankAloneLabel(this.state.file()!.matrix.performance));
  /** True if the performance metric is the only one with a weight. */
  protected readonly ranksByPerformance = computed(() => {
    const { effective } = this.state.ranks()!;
    const weighed = Object.keys(effective).filter((name) => effective[name]! > 0);
    return weighed.length === 1 && weighed[0] === this.state.file()!.matrix.performance;
  });
  /** Announces a new ranking to screen readers, whose users do not see the rows move. */
  protected readonly announcement = signal('');

  constructor() {
    let before = '';
    effect(() => {
      const ranks = this.state.ranks();
      if (!ranks || this.state.isUpdating()) return;
      const first = ranks.ranking.order[0];
      if (first === undefined) return;
      const name = this.state.file()!.names[first]!;
      const weights = JSON.stringify(ranks.effective);
      if (before !== '' && before !== weights) this.announcement.set($localize`Ranks updated. ${name}:name: is first.`);
      before = weights;
    });
  }

  protected openSheet(): void {
    this.isSheetOpen.set(true);
    this.sheet()?.nativeElement.showModal();
  }

  private matches(query: string) {
    return toSignal(this.breakpoints.observe(query).pipe(map(({ matches }) => matches)), {
      initialValue: matchMedia(query).matches,
    });
  }
}
