import { DomainError } from '@assay/kernel';
import { inTurns, type Work } from '../resampling/work.js';
import { MINIMUM_SLICE } from '../slices/compared-slices.js';
import type { Comparison } from './compare-paired.js';
import { compareScores } from './compare-scores.js';
import { compareSets } from './compare-sets.js';
import type { JointAnswers, Part } from './joint-answers.js';

export interface ComparedScores {
  /** Number of examples. */
  readonly n: number;
  /** Comparisons by metric name. A metric that is undefined for either model is left out. */
  readonly metrics: Readonly<Record<string, Comparison>>;
}

export interface ComparedAnswers extends ComparedScores {
  /** field → value → comparisons, for slices with at least 30 examples. */
  readonly slices: Readonly<Record<string, Readonly<Record<string, ComparedScores>>>>;
}

/**
 * Compares the two models of `answers` in all metrics, on all examples and by slice. More than
 * 10,000 clusters are pooled into 10,000 groups, as for resamples.
 *
 * @param seed seeds the draws
 * @param turn awaited after each step of about ten milliseconds, so that other work can run
 * @throws DomainError `nothing_to_score` without examples
 */
export function compareAnswers(
  answers: JointAnswers,
  seed: string,
  turn: () => Promise<unknown>,
): Promise<ComparedAnswers> {
  return inTurns(comparison(answers, seed), turn);
}

function* comparison(answers: JointAnswers, seed: string): Work<ComparedAnswers> {
  if (answers.count === 0) throw new DomainError('invalid', 'nothing_to_score', 'There are no examples to score.');

  const slices = new Map<string, Map<string, ComparedScores>>();
  for (const part of answers.slices(MINIMUM_SLICE)) {
    const { field, value } = part.slice!;
    const known = slices.get(field) ?? new Map<string, ComparedScores>();
    slices.set(field, known.set(value, yield* partScores(answers, part, `${seed}/${field}/${value}`)));
  }
  return {
    ...(yield* partScores(answers, { slice: null, rows: null }, seed)),
    slices: Object.fromEntries(Array.from(slices, ([field, values]) => [field, Object.fromEntries(values)])),
  };
}

function* partScores(answers: JointAnswers, { rows, slice }: Part, seed: string): Work<ComparedScores> {
  const clusters = answers.clusters(rows);
  const metrics = new Map<string, Comparison>();
  const others = answers.scoresOf(1);
  for (const [name, own] of answers.scoresOf(0)) {
    const other = others.get(name);
    const compared = other && compareScores([own, other], { rows, clusters, seed });
    if (compared) metrics.set(name, compared);
    yield;
  }
  for (const [name, found] of yield* compareSets(answers, [0, 1], { rows, slice }, seed)) metrics.set(name, found);
  return { n: rows?.length ?? answers.count, metrics: Object.fromEntries(metrics) };
}
