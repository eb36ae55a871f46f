import type { ReferenceRow } from './reference-rows.js';

/**
 * Returns the reference rows of a task of several labels, from the number of examples per set of gold
 * labels (a sorted JSON list). `majority` always answers the most frequent set (of equally frequent
 * ones, the first as text). `random` draws a set by the shares of the sets; its value is the expected
 * one, for F1 the F1 of the expected counts. Without examples there are no rows.
 *
 * @param metrics other metrics than those of several labels are left out
 */
export function labelSetReferences(
  goldSets: Readonly<Record<string, number>>,
  metrics: readonly string[],
): readonly ReferenceRow[] {
  const keys = Object.keys(goldSets)
    .filter((key) => goldSets[key]! > 0)
    .sort();
  if (keys.length === 0) return [];

  const counts = keys.map((key) => goldSets[key]!);
  const n = counts.reduce((sum, count) => sum + count, 0);
  const shares = counts.map((count) => count / n);
  const most = counts.indexOf(Math.max(...counts));
  const certain = counts.map((_, index) => (index === most ? 1 : 0));
  const sets = keys.map((key) => new Set(JSON.parse(key) as readonly string[]));

  const row = (name: ReferenceRow['name'], label: string | null, answered: readonly number[]): ReferenceRow => ({
    name,
    label,
    metrics: metricsOf({ sets, shares, answered }, metrics),
  });
  return [row('majority', keys[most]!, certain), row('random', null, shares)];
}

interface Answering {
  readonly sets: readonly ReadonlySet<string>[];
  /** The share of examples per set. */
  readonly shares: readonly number[];
  /** The share of answers per set, independent of the example. */
  readonly answered: readonly number[];
}

function metricsOf(answering: Answering, names: readonly string[]): Record<string, number> {
  const known = names.flatMap((name): [string, number][] => {
    const valueOf = VALUES[name];
    return valueOf ? [[name, valueOf(answering)]] : [];
  });
  return Object.fromEntries(known);
}

/** The metrics of several labels for answers that do not depend on the example. */
const VALUES: Readonly<Record<string, (answering: Answering) => number>> = {
  accuracy: ({ shares, answered }) => shares.reduce((sum, share, index) => sum + share * answered[index]!, 0),
  jaccard: expectedJaccard,
  micro_f1: (answering) => {
    const labels = [...labelShares(answering).values()];
    const either = labels.reduce((sum, { gold, answer }) => sum + gold + answer, 0);
    // if no label occurs at all, every answer is right
    return either === 0 ? 1 : labels.reduce((sum, { gold, answer }) => sum + 2 * gold * answer, 0) / either;
  },
  macro_f1: (answering) => {
    const labels = [...labelShares(answering).values()];
    if (labels.length === 0) return 1;
    return labels.reduce((sum, { gold, answer }) => sum + (2 * gold * answer) / (gold + answer), 0) / labels.length;
  },
};

/** Returns, for each label that occurs, the share of examples and of answers with it. */
function labelShares({ sets, shares, answered }: Answering): ReadonlyMap<string, { gold: number; answer: number }> {
  const labels = new Map<string, { gold: number; answer: number }>();
  for (const [index, set] of sets.entries()) {
    for (const label of set) {
      const { gold, answer } = labels.get(label) ?? { gold: 0, answer: 0 };
      labels.set(label, { gold: gold + shares[index]!, answer: answer + answered[index]! });
    }
  }
  return labels;
}

function expectedJaccard({ sets, shares, answered }: Answering): number {
  let sum = 0;
  for (const [place, answer] of sets.entries()) {
    if (answered[place] === 0) continue;
    for (const [index, gold] of sets.entries()) sum += shares[index]! * answered[place]! * overlap(gold, answer);
  }
  return sum;
}

function overlap(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let both = 0;
  for (const label of one) if (other.has(label)) both++;
  const either = one.size + other.size - both;
  return either === 0 ? 1 : both / either;
}
