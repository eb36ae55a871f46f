import type { CompareMatrixView } from '@assay/contracts/comparison';
import type { TaskDefinition } from '@assay/contracts/tasks';
import type { Evaluation } from '@assay/evaluation/evaluations';
import { compareRounded, familyVerdicts, type TestedDifference } from '@assay/scoring/comparison';
import type { Model } from '@assay/submissions';
import type { DatasetVersion } from '@assay/tasks/datasets';
import type { ComparableCells } from './comparable-cells.js';
import type { Pair } from './dataset-comparisons.js';
import type { DatasetDifferences } from './dataset-differences.js';
import { betterOf, directionOf, overallDifference, type WeighedDifference } from './difference-views.js';
import { contaminationOf } from '../boards/contamination.js';
import { roundedScores } from './rounded-differences.js';

type PairView = CompareMatrixView['pairs'][number];

/** A pair of models, with the datasets that they are compared on. */
interface PairCells {
  readonly pair: Pair;
  readonly differences: WeighedDifference[];
  readonly exposures: string[];
  readonly own: string[];
}

/**
 * Compares each pair of models over all datasets, with p-values corrected over the pairs (Holm
 * 1979).
 */
export async function comparisonMatrix(
  differences: DatasetDifferences,
  cells: ComparableCells,
  models: readonly Model[],
): Promise<Pick<CompareMatrixView, 'of' | 'pairs'>> {
  const pairs = new Map<string, PairCells>();
  for (const [place, a] of models.entries()) {
    for (const b of models.slice(place + 1)) {
      pairs.set(pairKey(a, b), { pair: [a, b], differences: [], exposures: [], own: [] });
    }
  }
  const ranking = cells.versions.filter(({ id }) => (cells.weights.get(id) ?? 0) > 0);
  for (const version of ranking) await compareOn(differences, cells, models, version, pairs);
  return { of: ranking.length, pairs: pairViews([...pairs.values()], cells) };
}

async function compareOn(
  differences: DatasetDifferences,
  cells: ComparableCells,
  models: readonly Model[],
  version: DatasetVersion,
  pairs: ReadonlyMap<string, PairCells>,
): Promise<void> {
  const scored = await readable(differences, cells, models, version);
  const evaluations = scored.map(({ evaluation }) => evaluation);
  const found = cells.isRounded(version)
    ? roundedPairs(cells.definition, version, evaluations)
    : await differences.ofPairs(cells.definition, version, evaluations);
  let next = 0;
  for (const [place, { model: a }] of scored.entries()) {
    for (const { model: b } of scored.slice(place + 1)) {
      const difference = found[next++];
      const into = pairs.get(pairKey(a, b))!;
      const own = [a, b].filter((model) => cells.isOwn(model, version));
      if (own.length > 0) into.own.push(version.dataset.name);
      if (!difference || own.length > 0) continue;
      into.differences.push({ weight: cells.weights.get(version.id)!, ...difference });
      if (exposure(a, version) !== exposure(b, version)) into.exposures.push(version.dataset.name);
    }
  }
}

/** Returns the same as `DatasetDifferences.ofPairs`, from rounded scores alone. */
function roundedPairs(
  { performance }: Pick<TaskDefinition, 'performance'>,
  version: DatasetVersion,
  evaluations: readonly Evaluation[],
): readonly (TestedDifference | null)[] {
  const scores = evaluations.map((evaluation) => roundedScores(evaluation, version).metrics?.[performance]);
  return scores.flatMap((a, place) =>
    scores.slice(place + 1).map((b) => (a && b ? compareRounded(a, b, version.examples) : null)),
  );
}

/** Returns the models whose answers to the dataset can be read. */
async function readable(
  differences: DatasetDifferences,
  cells: ComparableCells,
  models: readonly Model[],
  version: DatasetVersion,
): Promise<{ readonly model: Model; readonly evaluation: Evaluation }[]> {
  const found = [];
  for (const model of models) {
    const evaluation = cells.cell(model, version);
    if (typeof evaluation === 'string' || !(await differences.isReadable(version, evaluation))) continue;
    found.push({ model, evaluation });
  }
  return found;
}

function pairViews(pairs: readonly PairCells[], { definition }: ComparableCells): PairView[] {
  const direction = directionOf(definition.performance, definition.performance);
  const overall = pairs.map(({ differences }) => overallDifference(differences));
  const verdicts = familyVerdicts(overall.map((each) => each ?? NOTHING));
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

/** A pair without a dataset in common. */
const NOTHING: TestedDifference = {
  difference: { value: NaN, low: null, high: null, standardError: null },
  p: null,
};

const exposure = (model: Model, { dataset }: DatasetVersion) => contaminationOf(model.specification!.artifact, dataset);

const pairKey = (a: Model, b: Model): string => `${a.id} ${b.id}`;
