import { DomainError } from '@assay/kernel';
import type { Estimate } from '../estimate.js';
import { everyRow, pick } from '../kept/kept-metric.js';
import { groupsOf, resampledValues } from '../resampling/resampled-values.js';
import type { Statistic } from '../resampling/statistic.js';
import { inTurns, type Work } from '../resampling/work.js';
import type { JointAnswers, ModelScores, Part } from './joint-answers.js';

/** A slice of fewer examples is not compared. */
const MINIMUM_SLICE = 30;

export interface ComparedScores {
  /** Examples. */
  readonly n: number;
  /** By metric, the first model minus the second; a metric that is undefined for either is not among them. */
  readonly metrics: Readonly<Record<string, PairedDifference>>;
}

export interface ComparedAnswers extends ComparedScores {
  /** field → value → differences: slices of at least 30 examples. */
  readonly slices: Readonly<Record<string, Readonly<Record<string, ComparedScores>>>>;
}

/**
 * The differences between models `a` and `b` of the same examples, in all metrics, as a whole and by slices. `seed` names the draws: that of
 * the dataset version, so that they are the draws of its scores. Between steps of some milliseconds others have their `turn`.
 * Throws `nothing_to_score` without examples.
 */
export function compareAnswers(
  answers: JointAnswers,
  [a, b]: readonly [a: number, b: number],
  seed: string,
  turn: () => Promise<unknown>,
): Promise<ComparedAnswers> {
  return inTurns(comparison(answers, a, b, seed), turn);
}

function* comparison(answers: JointAnswers, a: number, b: number, seed: string): Work<ComparedAnswers> {
  if (answers.count === 0) throw new DomainError('invalid', 'nothing_to_score', 'There are no examples to score.');

  const parts: Part[] = [{ slice: null, rows: null }, ...answers.slices(MINIMUM_SLICE)];
  const found = parts.map(() => new Map<string, PairedDifference>());
  const others = answers.scoresOf(b);
  for (const [name, { metric, scores }] of answers.scoresOf(a)) {
    const other = others.get(name);
    if (!other) continue;
    for (const [index, { slice, rows }] of parts.entries()) {
      const clusters = answers.clusters(rows);
      const draws = `${seed}/compare/${name}/${slice ? `${slice.field}/${slice.value}` : ''}`;
    }
  }
}
