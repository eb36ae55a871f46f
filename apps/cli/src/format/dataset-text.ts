import type { DatasetSummary, DatasetVersions } from '@assay/api-client/fetch';
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
    dataset.against.length === 0 ? 'not collected against a model' : `collected against: ${dataset.against.join(', ')}`,
  ].join('\n');

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
