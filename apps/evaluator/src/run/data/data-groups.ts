import type { Visibility } from '@assay/contracts/datasets';
import type { SandboxData } from '@assay/sandbox';
import type { AssignedDataset } from '@assay/contracts/gateway';

/** The datasets of a run whose rows are sent to the same sandbox. */
export interface DataGroup {
  readonly data: SandboxData;
  readonly datasets: readonly AssignedDataset[];
}

/**
 * Returns the IDs of the dataset versions that a sandbox for these datasets sees. Every row counts,
 * because it may be used in the warm-up before the first answer.
 */
export const seenVersions = (datasets: readonly AssignedDataset[]): string[] =>
  datasets.map(({ version }) => version).sort();

/** From the most to the least public. */
const LEVELS: readonly Visibility[] = ['public', 'inputs', 'hidden'];

/**
 * Groups the datasets by sandbox. Readable data comes first, so that no readable example is answered
 * after hidden rows.
 */
export function dataGroups(datasets: readonly AssignedDataset[]): DataGroup[] {
  return (['readable', 'hidden'] as const)
    .map((data) => ({ data, datasets: datasets.filter((each) => dataOf(each) === data) }))
    .filter((group) => group.datasets.length > 0);
}

/**
 * Returns the datasets on which costs are measured: those of the most public level that occurs. Only
 * originals, so that perturbed versions do not change what a model costs.
 */
export function timedDatasets(datasets: readonly AssignedDataset[]): DataGroup {
  const originals = datasets.filter(({ isOriginal }) => isOriginal);
  const level = LEVELS.find((each) => originals.some(({ visibility }) => visibility === each));
  return {
    data: level === 'hidden' ? 'hidden' : 'readable',
    datasets: originals.filter(({ visibility }) => visibility === level),
  };
}

/** A perturbed dataset has the visibility of its original. */
const dataOf = ({ visibility }: AssignedDataset): SandboxData => (visibility === 'hidden' ? 'hidden' : 'readable');
