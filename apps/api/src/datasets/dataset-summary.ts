import type { HumanPerformance } from '@assay/contracts/facts';
import type { DatasetSummary } from '@assay/contracts/tasks';
import { type Dataset, type DatasetVersion, publishedDigest } from '@assay/tasks/datasets';

type ShownVersion = Pick<
  DatasetVersion,
  'number' | 'digest' | 'salt' | 'commitment' | 'examples' | 'status' | 'human'
> & {
  readonly dataset: Pick<
    Dataset,
    'name' | 'role' | 'round' | 'use' | 'visibility' | 'against' | 'publicSince' | 'inputsUntil'
  >;
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
  ...(version.dataset.visibility === 'hidden' &&
    version.dataset.inputsUntil && { inputsUntil: version.dataset.inputsUntil.toISOString() }),
  human: humanPerformance(version),
});

function humanPerformance({ human }: ShownVersion): HumanPerformance | null {
  const figures = Object.entries(human ?? {});
  const metrics = Object.fromEntries(figures.map(([name, { value, low, high, n }]) => [name, { value, low, high, n }]));
  return figures.length === 0 ? null : { source: figures[0]![1].source ?? null, metrics };
}
