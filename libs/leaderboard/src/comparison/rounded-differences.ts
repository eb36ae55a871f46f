import type { Estimate } from '@assay/contracts/metrics';
import type { Evaluation } from '@assay/evaluation/evaluations';
import { type ComparedAnswers, type ComparedScores, compareRounded, MINIMUM_SLICE } from '@assay/scoring/comparison';
import { type DatasetVersion } from '@assay/tasks/datasets';
import { roundedFigures } from '../disclosure/rounded-figures.js';

/** The scores of an evaluation. */
export type Scores = Pick<Evaluation, 'metrics' | 'slices'>;

type Estimates = Readonly<Record<string, Estimate>>;

/** Returns the scores of an evaluation, rounded as on its model's page. */
export const roundedScores = ({ metrics, slices }: Scores, { examples, original }: DatasetVersion): Scores =>
  roundedFigures({ metrics, slices }, original?.examples ?? examples);

/**
 * Compares two models by their rounded scores alone, in these metrics, on all examples and by slice
 * of at least 30 examples.
 * @param n the number of examples
 */
export function roundedDifferences(
  [a, b]: readonly [Scores, Scores],
  metrics: readonly string[],
  n: number,
): ComparedAnswers {
  const compared = (one: Estimates, other: Estimates, examples: number): ComparedScores => ({
    n: examples,
    metrics: Object.fromEntries(
      metrics.flatMap((name) =>
        one[name] && other[name] ? [[name, compareRounded(one[name], other[name], examples)]] : [],
      ),
    ),
  });
  const slices = Object.entries(a.slices ?? {}).map(([field, values]) => {
    const large = Object.entries(values).filter(([, slice]) => slice.n >= MINIMUM_SLICE);
    const pairs = large.flatMap(([value, slice]) => {
      const other = b.slices?.[field]?.[value];
      return other ? [[value, compared(slice.metrics, other.metrics, slice.n)] as const] : [];
    });
    return [field, Object.fromEntries(pairs)] as const;
  });
  return { ...compared(a.metrics ?? {}, b.metrics ?? {}, n), slices: Object.fromEntries(slices) };
}
