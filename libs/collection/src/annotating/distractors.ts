import type { LiveAnswer } from '@assay/contracts/collection';
import type { Rng } from '@assay/kernel';
import { chrf, contextOf, squadF1 } from '@assay/scoring/metrics';
import { type TextRules } from '@assay/scoring/language';
import type { Context } from '../rounds/context.js';
import type { AnnotationChoices } from './annotation.js';
import { comparable } from './checks/minhash.js';

/**
 * Mixes the right answer with hard negatives at random positions. The hard negatives are the
 * `count` wrong answers with the highest SQuAD F1 against the right ones. Returns null if there is
 * none.
 * @param gold all right answers; the first is shown
 * @param pool labels of other examples; those that equal a right one except for case and
 *   punctuation are excluded
 * @param rules how the task compares texts
 */
export function mixChoices(
  gold: readonly string[],
  pool: readonly string[],
  count: number,
  rng: Rng,
  rules: TextRules = {},
): Omit<AnnotationChoices, 'chosen'> | null {
  const seen = new Set(gold.map(comparable));
  const wrong = pool.filter((text) => {
    const plain = comparable(text);
    return plain !== '' && !seen.has(plain) && seen.add(plain);
  });
  if (wrong.length === 0) return null;
  const comparison = contextOf(rules);
  const hardest = wrong
    .map((text) => ({ text, near: squadF1.perExample(gold, text, null, comparison), chance: rng.next() }))
    .sort((a, b) => b.near - a.near || a.chance - b.chance)
    .slice(0, count)
    .map(({ text }) => text);
  const right = rng.below(hardest.length + 1);
  return { texts: hardest.toSpliced(right, 0, gold[0] ?? ''), right };
}

/**
 * Returns the index of the choice with the highest chrF (Popović 2015) against an answer. On a tie,
 * the first wrong choice wins, because the answer does not show that the right one was meant.
 */
export function nearestChoice(
  { texts, right }: Omit<AnnotationChoices, 'chosen'>,
  gold: readonly string[],
  answer: string,
  rules: TextRules = {},
): number {
  const near = texts.map((text, place) => chrfOf(place === right ? gold : [text], answer, rules));
  const best = Math.max(...near);
  const wrong = near.findIndex((value, place) => place !== right && value === best);
  return wrong === -1 ? right : wrong;
}

/** Returns the candidates for hard negatives that the metadata of a context has: `distractors`. */
export function ownDistractors(context: Pick<Context, 'metadata'> | null): readonly string[] {
  const own = context?.metadata['distractors'];
  return Array.isArray(own) ? own.filter((each) => typeof each === 'string') : [];
}

/** Adds the index of the choice that is nearest to each model's answer. */
export const withChosen = (
  choices: Omit<AnnotationChoices, 'chosen'>,
  gold: readonly string[],
  answers: readonly LiveAnswer[],
  rules: TextRules = {},
): AnnotationChoices => ({
  ...choices,
  chosen: answers.map(({ answer }) => nearestChoice(choices, gold, answer, rules)),
});

function chrfOf(gold: readonly string[], predicted: string, rules: TextRules): number {
  const context = contextOf(rules);
  const sums = new Float64Array(chrf.width(context));
  chrf.contribute({ gold, predicted, probabilities: null }, sums, 0, context);
  return chrf.fromSums(sums, context);
}
