import { Component, computed, inject, input } from '@angular/core';
import { RouterLink } from '@angular/router';
import type { Comparison, ComparisonMatrix } from '@assay/api-client/angular';
import { metricReading } from '../ui/metrics/metric-reading.js';
import { Numbers } from '../ui/index.js';
import { metricName } from '../ui/terms/terms.js';

/** The pairwise differences of several models: how far the row is ahead of the column. */
@Component({
  selector: 'app-pair-matrix',
  imports: [RouterLink],
  templateUrl: './pair-matrix.html',
  styleUrl: './comparison.scss',
})
export class PairMatrix {
  readonly matrix = input.required<ComparisonMatrix>();
  /** The pair that is shown in detail below. */
  readonly shown = input<Comparison>();

  protected readonly numbers = inject(Numbers);
  protected readonly rows = computed(() => matrixRows(this.matrix()));
  protected readonly sentence = computed(() => matrixSentence(this.matrix()));
  protected readonly performance = computed(() => metricName(this.matrix().performance));

  protected isShown({ a, b }: PairCell): boolean {
    const shown = this.shown();
    return shown?.a.id === a && shown.b.id === b;
  }

  protected difference({ pair, sign }: PairCell): string {
    const difference = pair?.difference;
    if (!difference) return $localize`no dataset that ranks in common`;
    return this.numbers.signed(metricReading(this.matrix().performance).unit, sign * difference.value);
  }

  protected margin({ pair }: PairCell): string {
    return this.numbers.margin(metricReading(this.matrix().performance).unit, pair?.difference ?? {});
  }
}

type Pair = ComparisonMatrix['pairs'][number];

/** The difference between the model of a row and the model of a column. */
interface PairCell {
  /** IDs of the models of the row (`a`) and of the column (`b`). */
  readonly a: string;
  readonly b: string;
  readonly pair: Pair | undefined;
  /** −1 if the API returned the pair in the opposite order. */
  readonly sign: 1 | -1;
  /** The result after Holm's procedure over all pairs. `none`: not significant. */
  readonly verdict: 'better' | 'worse' | 'none';
}

interface MatrixRow {
  readonly model: ComparisonMatrix['models'][number];
  /** Null on the diagonal. */
  readonly cells: readonly (PairCell | null)[];
}

export function matrixRows({ models, pairs }: ComparisonMatrix): readonly MatrixRow[] {
  return models.map((model) => ({
    model,
    cells: models.map((other) => (other.id === model.id ? null : cellOf(pairs, model.id, other.id))),
  }));
}

function cellOf(pairs: readonly Pair[], a: string, b: string): PairCell {
  const straight = pairs.find((pair) => pair.a === a && pair.b === b);
  const pair = straight ?? pairs.find((each) => each.a === b && each.b === a);
  const better = pair?.better ?? null;
  const verdict = better === null ? 'none' : (better === 'a') === (straight !== undefined) ? 'better' : 'worse';
  return { a, b, pair, sign: straight ? 1 : -1, verdict };
}

/** Summarises the matrix: how many of the other models each model beats. */
export function matrixSentence(matrix: ComparisonMatrix): string {
  const rows = matrixRows(matrix);
  const wins = rows
    .map(({ model, cells }) => ({ name: model.name, n: cells.filter((cell) => cell?.verdict === 'better').length }))
    .filter(({ n }) => n > 0)
    .toSorted((one, other) => other.n - one.n);
  const others = rows.length - 1;
  const [first, ...rest] = wins;
  if (!first) return $localize`No significant difference between any two of these ${rows.length}:count: models.`;
  const told =
    first.n === others
      ? $localize`${first.name}:first: is better than each of the others`
      : $localize`${first.name}:first: is better than ${first.n}:n: of the ${others}:others: others`;
  const more = rest.map(({ name, n }) => $localize`${name}:model: than ${n}:n:`);
  return `${[told, ...more].join('; ')}.`;
}
