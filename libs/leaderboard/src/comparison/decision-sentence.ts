import type { Difference } from '@assay/contracts/comparison';
import type { Direction } from '@assay/contracts/metrics';
import { greaterOf } from '@assay/scoring/comparison';
import type { BoardDecision } from '../boards/board-decision.js';
import { betterOf } from './difference-views.js';

/** The significance level of a single test. */
const SIGNIFICANT = 0.05;

/** The difference of two models in performance over all datasets. */
export interface OwnDifference extends Pick<Difference, 'difference' | 'p'> {
  readonly direction: Direction;
}

/**
 * Returns the board's decision on two models in one sentence, where it differs from the test of the
 * pair alone; otherwise null.
 */
export function decisionSentence(
  { difference, p, direction }: OwnDifference,
  { ahead, models, isPerformanceAlone }: Omit<BoardDecision, 'benchmarkVersion'>,
  names: Readonly<Record<'a' | 'b', string>>,
): string | null {
  const better = p !== null && p < SIGNIFICANT ? betterOf(direction, greaterOf(difference)) : null;
  if (better === ahead) return null;
  const test = p === null ? '' : ` (p ${shortP(p)})`;
  if (ahead === null) {
    const what = isPerformanceAlone ? 'not' : 'but the scores are tied';
    return `Significant on its own${test}, ${what} after correcting for the ${models} models on the board.`;
  }
  const decided = `the board separates their scores: "${names[ahead]}" is ahead`;
  return better === null
    ? `Not significant on its own${test}, but ${decided}.`
    : `"${names[better]}" is significantly better on its own${test}, but ${decided}.`;
}

/** Formats a p-value as in a sentence: `= .03`, `< .001`. */
function shortP(p: number): string {
  if (p < 0.001) return '< .001';
  const digits = Number(p.toPrecision(2)).toString();
  return `= ${digits.replace(/^0/, '')}`;
}
