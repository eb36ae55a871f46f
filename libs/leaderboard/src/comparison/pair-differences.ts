import type { TaskDefinition } from '@assay/contracts/tasks';
import type { Evaluation } from '@assay/evaluation/evaluations';
import { compareRounded, type TestedDifference } from '@assay/scoring/comparison';
import type { Model } from '@assay/submissions';
import type { DatasetVersion } from '@assay/tasks/datasets';
import { contaminationOf } from '../boards/contamination.js';
import type { ComparableCells } from './comparable-cells.js';
import type { Pair } from './dataset-comparisons.js';
import type { DatasetDifferences, EvaluationPair } from './dataset-differences.js';
import type { WeighedDifference } from './difference-views.js';
import { roundedScores } from './rounded-differences.js';

/** The differences of a pair of models in performance, by dataset. */
export interface PairDifferences {
  readonly pair: Pair;
  readonly differences: readonly WeighedDifference[];
  /** The datasets among them that only one of the models was submitted before. */
  readonly exposures: readonly string[];
  /** The datasets that are left out, because they were collected against one of the models. */
  readonly own: readonly string[];
}

/** The difference of a pair on one dataset. Null: it is left out as the pair's own. */
interface OnDataset {
  readonly difference: TestedDifference | null;
  readonly isOwn: boolean;
}

/** Compares pairs of models in performance on the datasets that have a weight. */
export async function pairDifferences(
  differences: DatasetDifferences,
  cells: ComparableCells,
  pairs: readonly Pair[],
): Promise<{ readonly of: number; readonly pairs: readonly PairDifferences[] }> {
  const ranking = cells.versions.filter(({ id }) => (cells.weights.get(id) ?? 0) > 0);
  const found = await Promise.all(
    ranking.map(async (version) => ({ version, results: await onDataset(differences, cells, version, pairs) })),
  );
  return {
    of: ranking.length,
    pairs: pairs.map((pair, place) => {
      const compared = found.flatMap(({ version, results }) => {
        const { difference } = results[place]!;
        return difference ? [{ version, difference }] : [];
      });
      return {
        pair,
        differences: compared.map(({ version, difference }) => ({
          weight: cells.weights.get(version.id)!,
          ...difference,
        })),
        exposures: compared
          .filter(({ version }) => exposure(pair[0], version) !== exposure(pair[1], version))
          .map(({ version }) => version.dataset.name),
        own: found.filter(({ results }) => results[place]!.isOwn).map(({ version }) => version.dataset.name),
      };
    }),
  };
}

async function onDataset(
  differences: DatasetDifferences,
  cells: ComparableCells,
  version: DatasetVersion,
  pairs: readonly Pair[],
): Promise<readonly OnDataset[]> {
  const readable = await readableEvaluations(differences, cells, version, new Set(pairs.flat()));
  const isOwn = ([a, b]: Pair): boolean =>
    readable.has(a) && readable.has(b) && (cells.isOwn(a, version) || cells.isOwn(b, version));
  const evaluations = pairs.map(([a, b]): EvaluationPair | null => {
    const [one, other] = [readable.get(a), readable.get(b)];
    return one && other && !isOwn([a, b]) ? [one, other] : null;
  });
  const compared = evaluations.filter((each) => each !== null);
  const found = cells.isRounded(version)
    ? roundedPairs(cells.definition, version, compared)
    : await differences.ofPairs(cells.definition, version, compared);
  let next = 0;
  return pairs.map((pair, place) => ({
    difference: evaluations[place] ? found[next++]! : null,
    isOwn: isOwn(pair),
  }));
}

/** Returns the same as `DatasetDifferences.ofPairs`, from rounded scores alone. */
const roundedPairs = (
  { performance }: Pick<TaskDefinition, 'performance'>,
  version: DatasetVersion,
  pairs: readonly EvaluationPair[],
): readonly (TestedDifference | null)[] =>
  pairs.map((pair) => {
    const [a, b] = pair.map((evaluation) => roundedScores(evaluation, version).metrics?.[performance]);
    return a && b ? compareRounded(a, b, version.examples) : null;
  });

/** Returns the evaluations whose answers can be read, by model. */
export async function readableEvaluations(
  differences: DatasetDifferences,
  cells: ComparableCells,
  version: DatasetVersion,
  models: Iterable<Model>,
): Promise<ReadonlyMap<Model, Evaluation>> {
  const found = new Map<Model, Evaluation>();
  for (const model of models) {
    const evaluation = cells.cell(model, version);
    if (typeof evaluation === 'string' || !(await differences.isReadable(version, evaluation))) continue;
    found.set(model, evaluation);
  }
  return found;
}

const exposure = (model: Model, { dataset }: DatasetVersion) => contaminationOf(model.specification!.artifact, dataset);
