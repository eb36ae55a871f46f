import { Component, computed, inject, input } from '@angular/core';
import { RouterLink } from '@angular/router';
import { leaderboardLeaderboardResource } from '@assay/api-client/angular';
import { problemOf } from '../session/problem.js';
import { Empty, Estimate, Loaded, Numbers } from '../ui/index.js';
import { metricReading } from '../ui/metrics/metric-reading.js';
import { Term } from '../ui/terms/term.js';
import { metricName, unitName } from '../ui/terms/terms.js';

const SHOWN = 3;

/** The first three models of the board, with a note if several could be first. */
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
  protected readonly candidates = computed(() => {
    const rows = this.board.hasValue() ? this.board.value().rows : [];
    const could = rows.filter(({ couldBeFirst }) => couldBeFirst).length;
    if (could < 2) return undefined;
    // the rows after the first three may be candidates, too
    return could === rows.length && this.board.value()?.nextCursor !== undefined
      ? $localize`All of these could be first.`
      : $localize`The first ${could}:count: could be first.`;
  });
}
