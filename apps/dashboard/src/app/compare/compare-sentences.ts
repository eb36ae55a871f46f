import type { Comparison, Difference, MetricComparison } from '@assay/api-client/angular';

/** The model that is significantly better. `none` if the difference is not significant. */
export type Better = 'a' | 'b' | 'none';

export interface ComparedDataset {
  readonly dataset: string;
  readonly better: Better;
}

/** A dataset on which both models have the metric, with its figures. */
export interface ComparedFigures extends ComparedDataset {
  readonly figures: MetricComparison;
  readonly comparison: Comparison['datasets'][number];
}

/** Returns the datasets on which both models have the metric, with the verdict of the API. */
export function comparedDatasets({ datasets }: Comparison, metric: string): readonly ComparedFigures[] {
  return datasets.flatMap((comparison) => {
    const figures = comparison.metrics[metric];
    return figures
      ? [{ dataset: comparison.dataset, better: figures.better ?? ('none' as const), figures, comparison }]
      : [];
  });
}

/**
 * The significance of the difference over all datasets. `alone`: significant by itself, but not
 * after correcting for the other differences that are shown.
 */
export type OverallVerdict = 'significant' | 'alone' | 'none';

/** The significance level of a single test. */
const LEVEL = 0.05;

export interface OverallDifference {
  /** The name of the model with the better figure. */
  readonly ahead: string;
  /** The size of the difference with its unit. */
  readonly size: string;
  readonly p: string;
  readonly verdict: OverallVerdict;
  /** The number of pairs that are shown. */
  readonly pairs: number;
}

/**
 * Returns the significance of a difference.
 *
 * @param isSignificantAmong whether it is significant among all pairs that are shown
 */
export function overallVerdict(overall: Difference | undefined, isSignificantAmong = true): OverallVerdict {
  if (overall?.better && isSignificantAmong) return 'significant';
  const { low, high } = overall?.difference ?? {};
  const excludesZero = (low ?? 0) > 0 || (high ?? 0) < 0;
  return excludesZero && (overall?.p ?? 1) < LEVEL ? 'alone' : 'none';
}

/**
 * Describes the difference over all datasets, such as `Over all datasets together, xlnet is ahead
 * by 3.2 points, which is significant.`
 */
export function overallSentence({ ahead, size, p, verdict, pairs }: OverallDifference): string {
  if (verdict === 'alone' && pairs <= 1) {
    return $localize`Over all datasets together, ${ahead}:model: is ahead by ${size}:size:: significant on its own (p = ${p}:p:), but not after correcting for all metrics and datasets.`;
  }
  if (verdict === 'alone') {
    return $localize`Over all datasets together, ${ahead}:model: is ahead by ${size}:size:: significant on its own (p = ${p}:p:), but not after correcting for the ${pairs}:pairs: pairs above.`;
  }
  return verdict === 'significant'
    ? $localize`Over all datasets together, ${ahead}:model: is ahead by ${size}:size:, which is significant.`
    : $localize`Over all datasets together, ${ahead}:model: is ahead by ${size}:size:, which is not significant.`;
}

/**
 * Summarises all datasets, such as `albert is better on 2 of 3 sets; no significant difference on
 * anli-r1.`
 * @param overall the name of the model that is significantly better over all datasets together.
 * With more examples, that test can be significant when none on a single dataset is.
 */
export function comparisonSentence(
  a: string,
  b: string,
  datasets: readonly ComparedDataset[],
  overall?: string,
): string {
  const of = datasets.length;
  if (of === 0) return $localize`${a}:a: and ${b}:b: have no dataset in common.`;
  const won = (side: Better) => datasets.filter(({ better }) => better === side);
  const [aWins, bWins, ties] = [won('a').length, won('b').length, won('none')];
  if (ties.length === of) {
    if (overall !== undefined && of > 1) {
      return $localize`${overall}:model: is better over all datasets together, although the difference is not significant on any single one.`;
    }
    return of === 1
      ? $localize`No significant difference between ${a}:a: and ${b}:b: on ${datasets[0]!.dataset}:dataset:.`
      : $localize`No significant difference between ${a}:a: and ${b}:b: on any of the ${of}:of: datasets.`;
  }
  return [...wins(a, aWins, b, bWins, of), ...tied(ties)].join('; ') + '.';
}

function wins(a: string, aWins: number, b: string, bWins: number, of: number): string[] {
  const winner = aWins >= bWins ? { name: a, n: aWins } : { name: b, n: bWins };
  const other = aWins >= bWins ? { name: b, n: bWins } : { name: a, n: aWins };
  const first =
    winner.n === of && of > 1
      ? $localize`${winner.name}:winner: is better on all ${of}:of: sets`
      : of === 1
        ? $localize`${winner.name}:winner: is better`
        : $localize`${winner.name}:winner: is better on ${winner.n}:n: of ${of}:of: sets`;
  return other.n === 0 ? [first] : [first, $localize`${other.name}:other: on ${other.n}:n:`];
}

function tied(ties: readonly ComparedDataset[]): string[] {
  if (ties.length === 0) return [];
  const names = new Intl.ListFormat('en', { type: 'conjunction' }).format(ties.map(({ dataset }) => dataset));
  return [$localize`no significant difference on ${names}:datasets:`];
}
