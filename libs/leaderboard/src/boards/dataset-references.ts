import { remembered } from '@assay/kernel';
import { goldReferences } from '@assay/scoring/board';
import type { BoardDataset } from './board-content.js';

type Rows = ReturnType<typeof goldReferences>;

const rowsOf = new WeakMap<BoardDataset, Map<string, Rows>>();

/**
 * Returns the reference rows majority and random of a dataset. Cached while the content is in memory,
 * because those of many label sets take a while.
 */
export function datasetReferences(dataset: BoardDataset, metrics: readonly string[]): Rows {
  const known = remembered(rowsOf, dataset, () => new Map<string, Rows>());
  return remembered(known, metrics.join(' '), () => goldReferences(dataset, metrics));
}
