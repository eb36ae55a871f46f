import type { AppliedTransform } from '../datasets/dataset.js';

/** The number of verdicts below which a transform is not judged. */
const ENOUGH_VERDICTS = 30;
const MIN_KEPT_SHARE = 0.95;

/**
 * Returns whether a transform's variants count in `fairness` and `robustness`. They do not if
 * people found that too many labels no longer hold.
 */
export const transformRanks = ({ validated, kept }: Pick<AppliedTransform, 'validated' | 'kept'>): boolean =>
  validated < ENOUGH_VERDICTS || kept >= MIN_KEPT_SHARE * validated;
