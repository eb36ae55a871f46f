import type { CompareView, DatasetComparison, MetricComparison, SliceComparison } from '@assay/contracts/comparison';
import { PERTURBATION_METRICS } from '@assay/contracts/metrics';
import { type TaskDefinition, taskMetrics } from '@assay/contracts/tasks';
import type { Evaluation } from '@assay/evaluation/evaluations';
import type { ComparedAnswers } from '@assay/scoring/comparison';
import type { BlobStore } from '@assay/storage';
import type { Model } from '@assay/submissions';
import type { DatasetVersion } from '@assay/tasks/datasets';
import { contaminationOf } from '../boards/contamination.js';
import { AnswersUnreadable } from './answered-rows.js';
import type { ComparableCells } from './comparable-cells.js';
import type { DatasetDifferences } from './dataset-differences.js';
import type { UncorrectedDataset } from './comparison-family.js';
import { metricComparisons, sliceComparisons, type Uncorrected } from './difference-views.js';
import { perturbedDifferences } from './perturbed-differences.js';
import { roundedDifferences, roundedScores, type Scores } from './rounded-differences.js';

export type Pair = readonly [a: Model, b: Model];

/** A dataset version on which two models are compared. */
export interface ComparedVersion {
  readonly version: DatasetVersion;
  readonly view: UncorrectedDataset;
  /** True if it is part of the overall difference. */
  readonly counts: boolean;
}

export interface ComparedVersions {
  readonly compared: readonly ComparedVersion[];
  readonly missing: CompareView['overall']['missing'];
}

/**
 * Compares two models on every dataset version that both are scored on, and returns why the others
 * are missing.
 */
export async function compareVersions(
  differences: DatasetDifferences,
  blobs: BlobStore,
  cells: ComparableCells,
  pair: Pair,
): Promise<ComparedVersions> {
  const results = await Promise.all(
    cells.versions.map((version) => comparedOrMissing(differences, blobs, cells, pair, version)),
  );
  const compared = results.flatMap((each) => ('view' in each ? [each] : []));
  const missing = results.flatMap((each) => ('view' in each ? [] : [each]));
  const uncounted = compared.filter(({ version, counts }) => !counts && !version.dataset.perturbation);
  return {
    compared,
    missing: [
      ...missing,
      ...uncounted.map(({ version, view }) => ({ ...nameOf(version), why: whyUncounted(view, version) })),
    ],
  };
}

async function comparedOrMissing(
  differences: DatasetDifferences,
  blobs: BlobStore,
  cells: ComparableCells,
  pair: Pair,
  version: DatasetVersion,
): Promise<ComparedVersion | CompareView['overall']['missing'][number]> {
  const lacking = whyLacking(cells, pair, version);
  if (lacking !== null) return { ...nameOf(version), why: lacking };
  try {
    return await comparedVersion(differences, blobs, cells, pair, version);
  } catch (error) {
    if (error instanceof AnswersUnreadable) return { ...nameOf(version), why: error.message };
    throw error;
  }
}

function whyLacking(cells: ComparableCells, pair: Pair, version: DatasetVersion): string | null {
  const reasons = pair.flatMap((model) => {
    const cell = cells.cell(model, version);
    return typeof cell === 'string' ? [`${model.name}: ${cell}`] : [];
  });
  return reasons.length > 0 ? reasons.join('; ') : null;
}

function whyUncounted({ own }: Pick<DatasetComparison, 'own'>, { dataset, examples }: DatasetVersion): string {
  if (own.a || own.b) return 'its examples were collected against one of the models';
  return dataset.use === 'reporting' ? 'it is for reporting only' : `its ${examples} examples are too few to rank`;
}

/** Returns the name and version of a dataset. A perturbed version has the name of its original. */
const nameOf = ({
  dataset,
  number,
}: DatasetVersion): { dataset: string; version: number } & Pick<DatasetComparison, 'perturbation'> => ({
  dataset: (dataset.original ?? dataset).name,
  version: number,
  ...(dataset.perturbation && { perturbation: dataset.perturbation }),
});

async function comparedVersion(
  differences: DatasetDifferences,
  blobs: BlobStore,
  cells: ComparableCells,
  pair: Pair,
  version: DatasetVersion,
): Promise<ComparedVersion> {
  const evaluations = pair.map((model) => cells.cell(model, version) as Evaluation) as [Evaluation, Evaluation];
  const own = { a: cells.isOwn(pair[0], version), b: cells.isOwn(pair[1], version) };
  const dataset = version.dataset.original ?? version.dataset;
  const exposure = {
    a: contaminationOf(artifactOf(pair[0]), dataset),
    b: contaminationOf(artifactOf(pair[1]), dataset),
  };
  const weight = cells.weights.get(version.dataset.perturbation ? (version.original?.id ?? '') : version.id) ?? 0;
  const view: UncorrectedDataset = {
    ...nameOf(version),
    ...(typeof dataset.round === 'number' && { round: dataset.round }),
    use: dataset.use,
    weight,
    exposure,
    own,
    warnings: [...ownWarnings(pair, own), ...exposureWarnings(pair, exposure)],
    ...(await figures(differences, blobs, cells, evaluations, version)),
  };
  return { version, view, counts: weight > 0 && !own.a && !own.b };
}

interface Figures {
  readonly n: number;
  readonly metrics: Record<string, Uncorrected<MetricComparison>>;
  readonly slices: Record<string, Record<string, SliceComparison>>;
}

async function figures(
  differences: DatasetDifferences,
  blobs: BlobStore,
  cells: ComparableCells,
  pair: readonly [Evaluation, Evaluation],
  version: DatasetVersion,
): Promise<Figures> {
  const { definition } = cells;
  const { performance } = definition;
  const isPerturbed = Boolean(version.dataset.perturbation);
  const n = isPerturbed ? (pair[0].perturbed?.originals ?? version.examples) : version.examples;
  if (cells.isRounded(version)) {
    const rounded = [roundedScores(pair[0], version), roundedScores(pair[1], version)] as const;
    const metrics = isPerturbed ? Object.keys(PERTURBATION_METRICS) : taskMetrics(definition);
    return shownFigures(roundedDifferences(rounded, metrics, n), rounded, performance);
  }
  if (isPerturbed) return { n, metrics: await perturbedDifferences(blobs, pair), slices: {} };
  return shownFigures(await differences.ofPair(definition, version, pair), pair, performance);
}

const shownFigures = (
  found: ComparedAnswers,
  [a, b]: readonly [Scores, Scores],
  performance: TaskDefinition['performance'],
): Figures => ({
  n: found.n,
  metrics: metricComparisons(found, a.metrics ?? {}, b.metrics ?? {}),
  slices: sliceComparisons(found, a, b, performance),
});

const artifactOf = (model: Model) => model.specification!.artifact;

const ownWarnings = ([a, b]: Pair, own: DatasetComparison['own']): string[] =>
  [own.a ? [a] : [], own.b ? [b] : []]
    .flat()
    .map(
      ({ name }) =>
        `The examples were collected against "${name}", which is wrong on them by construction. They are left out of the overall difference.`,
    );

function exposureWarnings([a, b]: Pair, exposure: DatasetComparison['exposure']): string[] {
  if (exposure.a === exposure.b) return [];
  const [clean, exposed] = exposure.a === 'clean' ? [a, b] : [b, a];
  return [
    `"${exposed.name}" was submitted after some of the data was public and may have seen it; "${clean.name}" was submitted before.`,
  ];
}
