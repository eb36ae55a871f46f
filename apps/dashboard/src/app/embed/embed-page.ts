import { Component, computed, inject, input, numberAttribute } from '@angular/core';
import { leaderboardLeaderboardResource } from '../../client/@angular/common.gen.js';
import { Estimate } from '../ui/estimate.js';
import { Loaded } from '../ui/loaded.js';
import { Numbers } from '../ui/numbers.js';
import { metricName, unitName } from '../ui/terms.js';
import { When } from '../ui/when.js';

/**
 * The top rows of a leaderboard with the metrics that have a weight, for a frame on another site.
 * Ranks by the task's weights or those in the query parameters.
 */
@Component({
  selector: 'app-embed-page',
  imports: [Estimate, Loaded, When],
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
  protected readonly board = leaderboardLeaderboardResource(() => {
    const [weights, datasets, asOf] = [this.weights(), this.datasets(), this.asOf()];
    const query = { ...(weights && { weights }), ...(datasets && { datasets }), ...(asOf && { asOf }) };
    return { path: { slug: this.slug() }, query: { ...query, limit: this.rows() } };
  });
  /** The URL of the full leaderboard with the same weights. */
  protected readonly address = computed(() => {
    const page = new URL(`/tasks/${this.slug()}/leaderboard`, location.href);
    for (const [name, value] of [
      ['weights', this.weights()],
      ['datasets', this.datasets()],
      ['asOf', this.asOf()],
    ] as const) {
      if (value) page.searchParams.set(name, value);
    }
    return page.href;
  });
}
