import type { AppliedTransform } from '../dataset.js';

/** With fewer verdicts nothing is said of a transform. */
const ENOUGH_VERDICTS = 30;
const LEAST_KEPT = 0.95;

/** Whether a transform's variants count in `fairness` and `robustness`: not where people found that labels are lost. */
export const transformRanks = ({ validated, kept }: Pick<AppliedTransform, 'validated' | 'kept'>): boolean =>
  validated < ENOUGH_VERDICTS || kept >= LEAST_KEPT * validated;
