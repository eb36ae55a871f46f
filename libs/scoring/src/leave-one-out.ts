import { medianOf } from './measures.js';
import type { TextRules } from './language/text-rules.js';
import type { OutputType } from './metric.js';
import { MetricAccumulator, type MetricScores } from './metric-accumulator.js';

/** The answers that several people gave to one example, independently of each other. */
export interface AnsweredExample {
  /** Per person, all labels or texts that they consider correct. */
  readonly answers: readonly (readonly string[])[];
  /** Examples with the same value are not independent. */
  readonly cluster: string;
  /** The cluster in a second way, which crosses the first. */
  readonly secondCluster?: string | null;
}

export interface LeaveOneOutOptions extends TextRules {
  readonly output: OutputType;
  /** The labels of the task, in its order. Default: none. */
  readonly labels?: readonly string[];
  readonly metrics: readonly string[];
  readonly seed: string;
}

/** The minimum number of other people, because one alone is not a consensus. */
const FEWEST_OTHERS = 2;

/**
 * Returns human performance. Each person's first answer is left out and scored, as a model's answer
 * would be, against the consensus of the others:
 *
 * - label, labels: every label that more than half of the others gave; without one, the answer is
 *   skipped
 * - number: the median of the others
 * - text, span: each answer of the others is a reference (as in Rajpurkar et al. 2016)
 *
 * `n` counts answers; the answers to one example share its cluster. Null if no example has three
 * answers with a consensus.
 */
export function leaveOneOut(examples: Iterable<AnsweredExample>, options: LeaveOneOutOptions): MetricScores | null {
  const accumulator = new MetricAccumulator(options);
  for (const { answers, cluster, secondCluster = null } of examples) {
    for (const [place, left] of answers.entries()) {
      const gold = consensus(answers.toSpliced(place, 1), options.output);
      const [predicted] = left;
      if (gold && predicted !== undefined) accumulator.add({ gold, predicted, cluster, secondCluster });
    }
  }
  if (accumulator.count === 0) return null;
  const { n, metrics } = accumulator.result();
  return { n, metrics };
}

function consensus(others: readonly (readonly string[])[], output: OutputType): readonly string[] | null {
  if (others.length < FEWEST_OTHERS) return null;
  switch (output) {
    case 'label':
    case 'labels':
      return majority(others);
    case 'number':
      return [String(medianOf(others.map(([number]) => Number(number)))!)];
    case 'span':
    case 'text':
      return others.flat();
  }
}

/**
 * Returns the labels that more than half of the people gave, or null. A person who considers
 * several labels correct votes for each of them.
 */
function majority(others: readonly (readonly string[])[]): readonly string[] | null {
  const votes = Map.groupBy(
    others.flatMap((labels) => [...new Set(labels)]),
    (label) => label,
  );
  const agreed = Array.from(votes).filter(([, { length }]) => 2 * length > others.length);
  return agreed.length === 0 ? null : agreed.map(([label]) => label);
}
