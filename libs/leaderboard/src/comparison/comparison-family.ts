import type { DatasetComparison, Difference, MetricComparison } from '@assay/contracts/comparison';
import type { PerformanceMetric } from '@assay/contracts/metrics';
import { familyVerdicts, type TestedDifference } from '@assay/scoring/comparison';
import { betterOf, directionOf, type Uncorrected } from './difference-views.js';

export type UncorrectedDataset = Omit<DatasetComparison, 'metrics'> & {
  readonly metrics: Readonly<Record<string, Uncorrected<MetricComparison>>>;
};

export type UncorrectedOverall = Record<string, Uncorrected<Difference>>;

/** A compared dataset before correction; `counts`: it is part of the overall difference. */
interface ComparedDataset {
  readonly view: UncorrectedDataset;
  readonly counts: boolean;
}

interface CorrectedComparison {
  readonly datasets: DatasetComparison[];
  readonly overall: Record<string, Difference>;
}

type Verdict = Pick<Difference, 'holm' | 'better'>;

/**
 * Adds the verdict to each difference of a comparison of two models. All metrics on all datasets and
 * over all datasets are one family. A metric over all datasets that only one dataset contributes to
 * is the same difference as on that dataset, so it counts once.
 */
export function correctedComparison(
  compared: readonly ComparedDataset[],
  overall: UncorrectedOverall,
  performance: PerformanceMetric,
): CorrectedComparison {
  const family = new Map<
    TestedDifference['difference'],
    { readonly name: string; readonly tested: TestedDifference }
  >();
  const add = (metrics: Readonly<Record<string, TestedDifference>>): void => {
    for (const [name, tested] of Object.entries(metrics)) family.set(tested.difference, { name, tested });
  };
  for (const { view } of compared) add(view.metrics);
  add(overall);

  const members = [...family];
  const verdicts = familyVerdicts(members.map(([, { tested }]) => tested));
  const verdictOf = new Map(
    members.map(([difference, { name }], place): [TestedDifference['difference'], Verdict] => {
      const { holm, greater } = verdicts[place]!;
      return [difference, { holm, better: betterOf(directionOf(name, performance), greater) }];
    }),
  );
  const withVerdicts = <T extends TestedDifference>(
    metrics: Readonly<Record<string, T>>,
  ): Record<string, T & Verdict> =>
    Object.fromEntries(
      Object.entries(metrics).map(([name, each]) => [name, { ...each, ...verdictOf.get(each.difference)! }]),
    );
  return {
    datasets: compared.map(({ view }) => ({ ...view, metrics: withVerdicts(view.metrics) })),
    overall: withVerdicts(overall),
  };
}
