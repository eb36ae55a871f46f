import type { Model } from '@assay/api-client/fetch';
import { marksLegend } from '@assay/scoring/marks';

const EXACT = 'You see exact scores on hidden data, because you own the task. Everybody else sees them rounded.';

/** Says how exact scores on hidden data are in a view. '' if the task rounds none of them. */
export function disclosureText(disclosure: Model['disclosure']): string {
  if (disclosure === undefined) return '';
  return disclosure === 'exact' ? EXACT : marksLegend(['rounded']).join('');
}
