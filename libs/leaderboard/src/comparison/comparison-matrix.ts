import type { CompareMatrixView } from '@assay/contracts/comparison';
import { familyVerdicts } from '@assay/scoring/comparison';
import type { Model } from '@assay/submissions';
import type { ComparableCells } from './comparable-cells.js';
import type { Pair } from './dataset-comparisons.js';
import type { DatasetDifferences } from './dataset-differences.js';
import { betterOf, directionOf, NO_DIFFERENCE, overallDifference } from './difference-views.js';
import { type PairDifferences, pairDifferences } from './pair-differences.js';

type PairView = CompareMatrixView['pairs'][number];

/**
 * Compares each pair of models over all datasets, with p-values corrected over the pairs (Holm
 * 1979).
 */
export async function comparisonMatrix(
  differences: DatasetDifferences,
  cells: ComparableCells,
  models: readonly Model[],
): Promise<Pick<CompareMatrixView, 'of' | 'pairs'>> {
  const pairs = models.flatMap((a, place) => models.slice(place + 1).map((b): Pair => [a, b]));
  const found = await pairDifferences(differences, cells, pairs);
  return { of: found.of, pairs: pairViews(found.pairs, cells) };
}

function pairViews(pairs: readonly PairDifferences[], { definition }: ComparableCells): PairView[] {
  const direction = directionOf(definition.performance, definition.performance);
  const overall = pairs.map(({ differences }) => overallDifference(differences));
  const verdicts = familyVerdicts(overall.map((each) => each ?? NO_DIFFERENCE));
  return pairs.map(({ pair: [a, b], differences, exposures, own }, index) => {
    const found = overall[index];
    const { holm, greater } = verdicts[index]!;
    return {
      a: a.id,
      b: b.id,
      comparable: differences.length,
      sameComputation: a.specification !== null && a.specification?.id === b.specification?.id,
      ...(found && { difference: found.difference }),
      p: found?.p ?? null,
      holm,
      better: betterOf(direction, greater),
      warnings: [
        ...own.map((dataset) => `${dataset} was collected against one of the models and is left out.`),
        ...exposures.map((dataset) => `Only one of the models was submitted before ${dataset} was public.`),
      ],
    };
  });
}
