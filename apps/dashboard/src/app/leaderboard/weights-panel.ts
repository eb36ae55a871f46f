import { NgTemplateOutlet } from '@angular/common';
import { Component, computed, inject } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { CopyButton, Icon, Numbers } from '../ui/index.js';
import { Term } from '../ui/terms/term.js';
import { metricName } from '../ui/terms/terms.js';
import type { BoardQuery } from './board/board-query.js';
import { BoardState } from './board/board-state.js';

/** The slider for the weight of a metric or a dataset. */
interface Slider {
  readonly name: string;
  readonly weight: number;
  /** The share of the total weight, as a ratio. */
  readonly share: number;
  readonly end: number;
  readonly step: number;
  readonly isChanged: boolean;
  /** The points that half of a cost adds to the score, or twice the throughput. Null for other metrics. */
  readonly points?: number | null;
  /** True if more of the metric is better. */
  readonly isHigher?: boolean;
}

/** Sliders that re-rank the board while they move, and the other choices that ranks depend on. */
@Component({
  selector: 'app-weights-panel',
  imports: [CopyButton, Icon, MatButton, NgTemplateOutlet, Term],
  templateUrl: './weights-panel.html',
  styleUrl: './weights-panel.scss',
})
export class WeightsPanel {
  protected readonly state = inject(BoardState);
  protected readonly numbers = inject(Numbers);
  protected readonly metricName = metricName;
  protected readonly asExposure = (isOn: boolean): Partial<BoardQuery> => ({ exposure: isOn ? 'clean' : null });
  protected readonly asRates = (isOn: boolean): Partial<BoardQuery> => ({ amrs: isOn ? 'live' : 'official' });

  private readonly metrics = computed<readonly Slider[]>(() => {
    const { matrix } = this.state.file()!;
    const { weights } = this.state.query();
    const { shares, board, ranking } = this.state.ranks()!;
    return matrix.metrics.map(({ name, direction }, column) => {
      const { exchange } = board.metrics[column]!;
      const points =
        exchange && ranking.coefficients[column]! > 0 ? exchange.rate * ranking.coefficients[column]! : null;
      const official = matrix.weights[name] ?? 0;
      const weight = weights[name] ?? official;
      const end = sliderEnd(Object.values(matrix.weights), weight);
      return {
        ...{ name, weight, share: shares[name] ?? 0, end, step: end / 100, isChanged: weight !== official },
        ...{ points, isHigher: direction === 'higher' },
      };
    });
  });
  /** The metrics with a weight in the task, and the others. */
  protected readonly weighed = computed(() => this.metrics().filter(({ name }) => this.isWeighed(name)));
  protected readonly others = computed(() => this.metrics().filter(({ name }) => !this.isWeighed(name)));
  protected readonly areOthersOpen = this.others().some(({ weight }) => weight > 0);

  protected readonly datasets = computed<readonly Slider[]>(() => {
    const official = this.state.officialView()!.rankable.datasetWeights;
    const chosen = this.state.query().datasets;
    const shares = this.state.view()!.rankable.datasetWeights;
    return Object.keys(official).map((name) => {
      const weight = chosen[name] ?? official[name]!;
      return { name, weight, share: shares[name]!, end: 1, step: 0.01, isChanged: name in chosen };
    });
  });
  protected readonly areDatasetsOpen =
    this.datasets().some(({ isChanged }) => isChanged) || this.hasChoice(this.state.query());
  /** True if the task itself ranks by the published Dynascore. */
  protected readonly isDynascore = computed(() => this.state.file()!.matrix.exchange?.kind === 'amrs');
  protected readonly ownRounds = computed(() => this.state.view()!.rankable.ownRounds);

  protected weighMetric({ name, step }: Slider, event: Event): void {
    this.state.weighMetric(name, chosenWeight(event, this.state.file()!.matrix.weights[name] ?? 0, step));
  }

  protected weighDataset({ name, step }: Slider, event: Event): void {
    const official = this.state.officialView()!.rankable.datasetWeights[name]!;
    this.state.weighDataset(name, chosenWeight(event, official, step));
  }

  protected choose(event: Event, choose: (isOn: boolean) => Partial<BoardQuery>): void {
    this.state.step(choose((event.target as HTMLInputElement).checked));
  }

  protected chooseOwnRounds(event: Event): void {
    const chosen = (event.target as HTMLInputElement).checked ? 'count' : 'adjust';
    const official = this.state.file()!.matrix.aggregate.ownRounds;
    this.state.step({ ownRounds: chosen === official ? null : chosen });
  }

  private isWeighed(name: string): boolean {
    return (this.state.file()!.matrix.weights[name] ?? 0) > 0;
  }

  private hasChoice({ ownRounds, exposure, amrs }: BoardQuery): boolean {
    return ownRounds !== null || exposure !== null || amrs === 'live';
  }
}

/** Returns the chosen weight. Null at the task's weight, which may lie between two steps. */
function chosenWeight(event: Event, official: number, step: number): number | null {
  const weight = (event.target as HTMLInputElement).valueAsNumber;
  return Math.abs(weight - official) <= step / 2 ? null : weight;
}

/**
 * Returns the upper end of a weight slider: 1, 2, 5 or 10 times a power of ten, at least twice the
 * largest of the task's weights, and at least `weight`.
 */
export function sliderEnd(official: readonly number[], weight: number): number {
  const least = Math.max(2 * Math.max(0, ...official), weight) || 1;
  const power = 10 ** Math.floor(Math.log10(least));
  // the tolerance absorbs rounding errors, so that 10 always fits
  return power * [1, 2, 5, 10].find((factor) => factor * power >= least * (1 - 1e-9))!;
}
