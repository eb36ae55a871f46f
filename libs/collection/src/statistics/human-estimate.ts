import type { Estimate } from '@assay/contracts/metrics';
import type { BoardDataset } from '@assay/leaderboard/boards';

/** Returns the human performance on a dataset of a board; null if it is not known. */
export function humanEstimate({ human }: BoardDataset, metric: string): Estimate | null {
  const figure = human?.[metric];
  return figure ? { value: figure.value, low: figure.low, high: figure.high } : null;
}
