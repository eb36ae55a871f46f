import { Component, computed, inject, input } from '@angular/core';
import { RouterLink } from '@angular/router';
import { leaderboardLeaderboardResource, type LeaderboardRow } from '@assay/api-client/angular';
import { problemOf } from '../session/problem.js';
import { Empty, Estimate, Loaded, Numbers } from '../ui/index.js';
import { metricReading } from '../ui/metrics/metric-reading.js';
import { Term } from '../ui/terms/term.js';
import { metricName, unitName } from '../ui/terms/terms.js';

const SHOWN = 3;

/** The first three models of the board, with a note if they are tied. */
@Component({
  selector: 'app-leaders-section',
  imports: [Empty, Estimate, Loaded, RouterLink, Term],
  templateUrl: './leaders-section.html',
  styleUrl: './leaders-section.scss',
})
export class LeadersSection {
  readonly slug = input.required<string>();
  /** The performance metric of the task. */
  readonly performance = input.required<string>();

  protected readonly numbers = inject(Numbers);
  protected readonly board = leaderboardLeaderboardResource(() => ({
    path: { slug: this.slug() },
    query: { limit: SHOWN },
  }));
  /** True if the task has no board yet, because nothing is scored. */
  protected readonly hasNoBoard = computed(() => {
    const error = this.board.error();
    return error !== undefined && problemOf(error).code === 'no_board_yet';
  });
  protected readonly unit = computed(() => metricReading(this.performance()).unit);
  protected readonly header = computed(() =>
    [metricName(this.performance()), unitName(this.unit())].filter((part) => part).join(' '),
  );
  protected readonly tie = computed(() => {
    const tied = this.board.hasValue() ? leadingTie(this.board.value().rows) : 0;
    if (tied < 2) return undefined;
    return tied === 2 ? $localize`The first two are tied.` : $localize`The first three are tied.`;
  });
}

/**
 * Returns how many of the first rows are tied with the first one, including itself. 1 means no tie.
 */
export function leadingTie(rows: readonly Pick<LeaderboardRow, 'tie' | 'rankLow' | 'rankHigh'>[]): number {
  const [head, ...others] = rows;
  if (!head?.tie) return Math.min(1, rows.length);
  // ties may follow one another: the next one begins where the rank intervals no longer overlap
  const end = others.findIndex(({ tie, rankLow }) => !tie || (rankLow ?? Infinity) > (head.rankHigh ?? -Infinity));
  return end < 0 ? rows.length : end + 1;
}
