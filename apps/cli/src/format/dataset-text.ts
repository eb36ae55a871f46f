import type { DatasetSummary, DatasetVersions, PerturbedVersion } from '@assay/api-client/fetch';
import { count, timeText } from './numbers.js';
import { right, tableText } from './table.js';

/** Formats datasets, one per line. */
export const datasetTable = (datasets: readonly DatasetSummary[]): string =>
  tableText(
    ['dataset', 'version', 'role', right('examples'), 'use', 'visibility', 'public since', 'against', 'status'],
    datasets.map((dataset) => [
      dataset.name,
      `v${dataset.version}`,
      dataset.round === undefined ? dataset.role : `round ${dataset.round}`,
      count(dataset.examples),
      dataset.use,
      dataset.visibility,
      dataset.publicSince?.slice(0, 10) ?? '·',
      dataset.against.length === 0
        ? '·'
        : `${dataset.against.length} ${dataset.against.length === 1 ? 'model' : 'models'}`,
      dataset.status,
    ]),
  );

/** Formats the properties of one dataset. */
export const datasetFacts = (dataset: DatasetSummary): string =>
  [
    `${dataset.name} v${dataset.version}: ${count(dataset.examples)} examples, ${dataset.status}, ${dataset.visibility}`,
    dataset.publicSince === null ? 'not public' : `public, at least in part, since ${timeText(dataset.publicSince)}`,
    ...(dataset.inputsUntil === undefined
      ? []
      : [`listed submitters may read its inputs until ${timeText(dataset.inputsUntil)}`]),
    dataset.against.length === 0 ? 'not collected against a model' : `collected against: ${dataset.against.join(', ')}`,
    ...(dataset.human ? [humanText(dataset.human)] : []),
  ].join('\n');

const humanText = ({ source, metrics }: NonNullable<DatasetSummary['human']>): string => {
  const figures = Object.entries(metrics).map(([name, { value }]) => `${name} ${value}`);
  return `people: ${figures.join(', ')} (${source ?? 'measured here'})`;
};

/** Formats the versions of one dataset, one per line. */
export const versionTable = (versions: DatasetVersions['items']): string =>
  tableText(
    ['version', right('examples'), 'status', 'uploaded', 'digest'],
    versions.map(({ version, examples, status, createdAt, digest }) => [
      `v${version}`,
      count(examples),
      status,
      timeText(createdAt),
      digest,
    ]),
  );

/** Returns the name of a dataset, followed by the perturbation if its examples are perturbed. */
export const examplesTitle = ({
  dataset,
  perturbation,
}: {
  readonly dataset: string;
  readonly perturbation?: string;
}): string => (perturbation === undefined ? dataset : `${dataset} ${perturbation}`);

/**
 * Formats the perturbed versions of a dataset: the number of variants of each transform, and the
 * result of their validation by people.
 */
export function perturbationsText(versions: readonly PerturbedVersion[]): string {
  return versions
    .map((version) => {
      const { dataset, perturbation, version: number, examples, status, own } = version;
      const made = own ? "the owner's pairs" : 'generated';
      return (
        `${perturbation} of ${dataset} v${number} · ${count(examples)} variants, ${made}, ${status}\n` +
        transformTable(version)
      );
    })
    .join('\n\n');
}

const transformTable = ({ transforms }: PerturbedVersion): string =>
  tableText(
    ['  transform', right('variants'), right('validated'), right('kept their label'), 'ranks'],
    transforms.map(({ name, variants, validated, kept, ranks }) => [
      `  ${name}`,
      count(variants),
      count(validated),
      validated === 0 ? '·' : `${count(kept)} (${((kept / validated) * 100).toFixed(0)}%)`,
      ranks ? 'yes' : 'no: too few keep their label',
    ]),
  );
