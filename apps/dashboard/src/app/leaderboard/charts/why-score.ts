import { Component, computed, inject, linkedSignal } from '@angular/core';
import { leaderboardLeaderboardResource } from '@assay/api-client/angular';
import { Loaded, Numbers } from '../../ui/index.js';
import { Term } from '../../ui/terms/term.js';
import { metricName, unitName } from '../../ui/terms/terms.js';
import { weighingOf } from '../board/board-query.js';
import { BoardState } from '../board/board-state.js';
import { degenerateSentence } from '../board/column-words.js';
import type { BoardRanks } from '../board/board-ranks.js';

/** Splits the score of a model into the points of its metrics, and explains the exchange rates. */
@Component({
  selector: 'app-why-score',
  imports: [Loaded, Term],
  templateUrl: './why-score.html',
  styleUrl: './chart-panel.scss',
})
export class WhyScore {
  protected readonly state = inject(BoardState);
  protected readonly numbers = inject(Numbers);
  protected readonly metricName = metricName;
  protected readonly unitName = unitName;
  protected readonly degenerateSentence = degenerateSentence;

  protected readonly choices = computed(() => {
    const [file, ranks] = [this.state.file(), this.state.settled().ranks];
    if (!file || !ranks) return [];
    return Array.from(ranks.ranking.order.slice(0, 100), (place) => ({ place, name: file.names[place]! }));
  });
  /** The model to explain: the one whose details are open, otherwise the first. */
  protected readonly model = linkedSignal(() => {
    const [file, open] = [this.state.file(), this.state.query().open];
    const opened = open === null ? -1 : (file?.matrix.ids.indexOf(open) ?? -1);
    return opened >= 0 ? opened : this.choices()[0]?.place;
  });
  protected readonly parts = computed(() => {
    const [ranks, model] = [this.state.settled().ranks, this.model()];
    return ranks && model !== undefined ? scoreParts(ranks, model) : [];
  });
  /** True if costs count at fixed rates, in points per doubling. */
  protected readonly isFixed = computed(() => this.state.settled().ranks?.calibration === null);
  protected readonly total = computed(() => this.parts().reduce((sum, { points }) => sum + points, 0));
  protected readonly degenerate = computed(() => this.state.board()?.degenerate);

  protected readonly explained = leaderboardLeaderboardResource(() => {
    const slug = this.state.slug();
    if (!slug || this.state.isUpdating()) return undefined;
    const { asOf } = this.state.query();
    const query = { ...weighingOf(this.state.query()), ...(asOf && { asOf }) };
    return { path: { slug }, query: { ...query, explain: 'true' as const, limit: 1, intervals: 'false' as const } };
  });

  protected choose(event: Event): void {
    this.model.set(Number((event.target as HTMLSelectElement).value));
  }
}

/** The contribution of a metric to the score of a model. */
interface ScorePart {
  readonly metric: string;
  readonly unit: string;
  /** The value in the unit of the metric. */
  readonly value: number;
  /**
   * The value on a scale where higher is better. At fixed rates: points. With AMRS: percent,
   * examples per second, GiB left free.
   */
  readonly utility: number;
  /**
   * The exchange rate (AMRS): units of utility that one point of performance is worth. 0 if the
   * models do not differ in the metric. 1 at fixed rates, where utilities are points.
   */
  readonly rate: number;
  /**
   * The weight as a ratio: of the weights of the percent metrics at fixed rates, of all weights
   * with AMRS.
   */
  readonly share: number;
  /** share · utility ÷ rate. */
  readonly points: number;
}

/**
 * Splits the score of a model into the contributions of its metrics, which sum to it. Leaves out
 * metrics without a weight. `model` is an index in the matrix file.
 */
function scoreParts({ board, ranking, calibration }: BoardRanks, model: number): readonly ScorePart[] {
  const { metrics, values, utilities } = board;
  return metrics.flatMap(({ name, unit }, column) => {
    const coefficient = ranking.coefficients[column]!;
    if (coefficient === 0) return [];
    const cell = model * metrics.length + column;
    const utility = utilities[cell]!;
    const share = calibration ? ranking.weights[column]! : coefficient;
    return [
      {
        ...{ metric: name, unit, value: values[cell]!, utility, share },
        rate: calibration ? (calibration.amrs[name] ?? share / coefficient) : 1,
        points: coefficient * utility,
      },
    ];
  });
}
