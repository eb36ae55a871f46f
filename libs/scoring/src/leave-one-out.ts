import { medianOf } from './measures.js';
import type { OutputType } from './metric.js';
import { MetricAccumulator, type MetricScores } from './metric-accumulator.js';

/** What several people answered to one example, independently of each other. */
export interface AnsweredExample {
  /** Per person, their answer: every label or text that they take for right. */
  readonly answers: readonly (readonly string[])[];
  /** Examples of the same value are not independent. */
  readonly cluster: string;
}

export interface LeaveOneOutOptions {
  readonly output: OutputType;
  /** Of the task, in its order; default none. */
  readonly labels?: readonly string[];
  readonly metrics: readonly string[];
  readonly seed: string;
}

/** The others are at least so many: one alone is no consensus. */
const FEWEST_OTHERS = 2;

/**
 * How well people do: each one's answer, left out, is scored as a model's would be against the consensus of the others. For labels that is what
 * more than half of them say (none: the answer is left out), for a number their median, for texts and spans each of theirs is a reference (as
 * Rajpurkar et al. 2016 have it). `n` counts answers; those of one example are in one cluster. Null where no example has three answers with a
 * consensus.
 */
export function leaveOneOut(examples: Iterable<AnsweredExample>, options: LeaveOneOutOptions): MetricScores | null {
  const accumulator = new MetricAccumulator(options);
  for (const { answers, cluster } of examples) {
    for (const [place, left] of answers.entries()) {
      const gold = consensus(answers.toSpliced(place, 1), options.output);
      const [predicted] = left;
      if (gold && predicted !== undefined) accumulator.add({ gold, predicted, cluster });
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

/** What more than half say. Who takes several for right says each of them. */
function majority(others: readonly (readonly string[])[]): readonly string[] | null {
  const votes = new Map<string, number>();
  for (const label of others.flatMap((labels) => [...new Set(labels)])) votes.set(label, (votes.get(label) ?? 0) + 1);
  const agreed = Array.from(votes).filter(([, count]) => 2 * count > others.length);
  return agreed.length === 0 ? null : agreed.map(([label]) => label);
}
