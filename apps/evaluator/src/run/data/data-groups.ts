import type { Visibility } from '@assay/contracts/datasets';
import type { Evaluation } from '@assay/evaluation/evaluations';
import type { SandboxData } from '@assay/sandbox';

/** The cells of a run whose rows are sent to the same sandbox. */
export interface DataGroup {
  readonly data: SandboxData;
  readonly cells: readonly Evaluation[];
}

/**
 * Returns the IDs of the dataset versions that a sandbox for these cells sees. Every row counts,
 * because it may be used in the warm-up before the first answer.
 */
export const seenVersions = (cells: readonly Evaluation[]): string[] =>
  cells.map(({ datasetVersion }) => datasetVersion.id).sort();

/** From the most to the least public. */
const LEVELS: readonly Visibility[] = ['public', 'inputs', 'hidden'];

/**
 * Groups the cells by sandbox. Readable data comes first, so that no readable example is answered
 * after hidden rows.
 */
export function dataGroups(cells: readonly Evaluation[]): DataGroup[] {
  return (['readable', 'hidden'] as const)
    .map((data) => ({ data, cells: cells.filter((cell) => dataOf(cell) === data) }))
    .filter((group) => group.cells.length > 0);
}

/**
 * Returns the cells on which costs are measured: those of the most public level that occurs. Only
 * originals, so that perturbed versions do not change what a model costs.
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
