import { Component, computed, inject, input, numberAttribute } from '@angular/core';
import { leaderboardLeaderboardResource, type LeaderboardRow } from '@assay/api-client/angular';
import { aggregateMarks, costMarks, FIGURE_MARKS, type FigureMark, marksLegend, markText } from '@assay/scoring/marks';
import { OwnEvaluators } from '../evaluators/own-evaluators.js';
import { Estimate, Loaded, Numbers, When } from '../ui/index.js';
import { isCost } from '../ui/metrics/metric-reading.js';
import { metricName, unitName } from '../ui/terms/terms.js';

/**
 * The top rows of a leaderboard with the metrics that have a weight, for a frame on another site.
 * Ranks by the task's weights or those in the query parameters.
 */
@Component({
  selector: 'app-embed-page',
  imports: [Estimate, Loaded, OwnEvaluators, When],
  templateUrl: './embed-page.html',
  styleUrl: './embed-page.scss',
})
export class EmbedPage {
  /** The slug is a path parameter. The others are query parameters. */
  readonly slug = input.required<string>();
  readonly rows = input(10, { transform: (text: unknown) => Math.min(100, Math.max(1, numberAttribute(text, 10))) });
  readonly weights = input<string>();
  readonly datasets = input<string>();
  readonly asOf = input<string>();

  protected readonly numbers = inject(Numbers);
  protected readonly metricName = metricName;
  protected readonly unitName = unitName;
  protected readonly markText = markText;
  private readonly weighing = computed(() => {
    const [weights, datasets, asOf] = [this.weights(), this.datasets(), this.asOf()];
    return { ...(weights && { weights }), ...(datasets && { datasets }), ...(asOf && { asOf }) };
  });
  protected readonly board = leaderboardLeaderboardResource(() => ({
    path: { slug: this.slug() },
    query: { ...this.weighing(), limit: this.rows() },
  }));
  /** The names of the datasets that rank. */
  private readonly weighed = computed(() =>
    this.board.hasValue() ? this.board.value().datasets.flatMap(({ name, weight }) => (weight > 0 ? [name] : [])) : [],
  );
  /** One sentence for each mark that is shown. */
  protected readonly legend = computed(() => {
    if (!this.board.hasValue()) return [];
    const { rows, metrics } = this.board.value();
    const shown = metrics.filter(({ weight }) => weight > 0);
    return marksLegend(rows.flatMap((row) => shown.flatMap(({ name }) => this.marksOf(row, name))));
  });
  /** The URL of the full leaderboard with the same weights. */
  protected readonly address = computed(() => {
    const page = new URL(`/tasks/${this.slug()}/leaderboard`, location.href);
    page.search = new URLSearchParams(this.weighing()).toString();
    return page.href;
  });

  protected marksOf(row: LeaderboardRow, metric: string): readonly FigureMark[] {
    const estimate = row.metrics[metric];
    if (!estimate) return [];
    return isCost(metric) ? costMarks(estimate) : aggregateMarks(row, this.weighed(), estimate);
  }

  protected markNames(marks: readonly FigureMark[]): string {
    return marks.map((mark) => FIGURE_MARKS[mark].name).join(', ');
  }
}
