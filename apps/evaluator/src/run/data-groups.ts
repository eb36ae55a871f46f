import type { Visibility } from '@assay/contracts';
import type { Evaluation } from '@assay/evaluation';
import type { SandboxData } from '@assay/sandbox';

/** The cells of a run whose rows go to one sandbox. */
export interface DataGroup {
  readonly data: SandboxData;
  readonly cells: readonly Evaluation[];
}

/** Ids of the dataset versions that a sandbox for these cells sees: each row may warm it up before it answers any other. */
export const seenVersions = (cells: readonly Evaluation[]): string[] =>
  cells.map(({ datasetVersion }) => datasetVersion.id).sort();

/** From the most public to the least. */
const LEVELS: readonly Visibility[] = ['public', 'inputs', 'hidden'];

/** The cells by the sandbox that is given their rows; readable data first, so that nothing readable is answered after hidden rows. */
export function dataGroups(cells: readonly Evaluation[]): DataGroup[] {
  return (['readable', 'hidden'] as const)
    .map((data) => ({ data, cells: cells.filter((cell) => dataOf(cell) === data) }))
    .filter((group) => group.cells.length > 0);
}

/**
 * The cells on which costs are measured: originals, so that perturbed versions do not change what a model costs, on the most public level that
 * there is.
 */
export function timedCells(cells: readonly Evaluation[]): DataGroup {
  const originals = cells.filter(({ datasetVersion }) => datasetVersion.original === null);
  const level = LEVELS.find((each) => originals.some((cell) => visibilityOf(cell) === each));
  return {
    data: level === 'hidden' ? 'hidden' : 'readable',
    cells: originals.filter((cell) => visibilityOf(cell) === level),
  };
}

const dataOf = (cell: Evaluation): SandboxData => (visibilityOf(cell) === 'hidden' ? 'hidden' : 'readable');

/** A perturbed dataset has the visibility of its original. */
const visibilityOf = ({ datasetVersion }: Evaluation): Visibility => datasetVersion.dataset.visibility;
