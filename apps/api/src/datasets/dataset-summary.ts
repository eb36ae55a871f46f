import type { DatasetSummary } from '@assay/contracts/tasks';
import { type Dataset, type DatasetVersion, publishedDigest } from '@assay/tasks/datasets';

type ShownVersion = Pick<DatasetVersion, 'number' | 'digest' | 'salt' | 'commitment' | 'examples' | 'status'> & {
  readonly dataset: Pick<Dataset, 'name' | 'role' | 'round' | 'use' | 'visibility' | 'against' | 'publicSince'>;
};

/** Presents a dataset version with its dataset. */
export const datasetSummary = (version: ShownVersion): DatasetSummary => ({
  name: version.dataset.name,
  role: version.dataset.role,
  ...(typeof version.dataset.round === 'number' && { round: version.dataset.round }),
  use: version.dataset.use,
  visibility: version.dataset.visibility,
  version: version.number,
  ...publishedDigest(version, version.dataset.visibility),
  examples: version.examples,
  status: version.status,
  against: [...(version.dataset.against ?? [])],
  publicSince: version.dataset.publicSince?.toISOString() ?? null,
});
