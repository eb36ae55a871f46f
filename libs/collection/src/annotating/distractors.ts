import type { LiveAnswer } from '@assay/contracts';
import type { Rng } from '@assay/kernel';
import { chrf, squadF1 } from '@assay/scoring';
import type { Round } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Context } from '../rounds/context.js';
import type { AnnotationChoices } from './annotation.js';
import { comparable } from './checks/minhash.js';

/** Newest answers of a round among which hard negatives are looked for. */
const LOOKED_AT = 500;

/**
 * The right answers among hard negatives: the `count` wrong answers that share most words with a right one, mixed at random.
 * @param pool answers to other examples; those that are the same as a right one but for case and punctuation are left out
 */
export function mixChoices(
  gold: readonly string[],
  pool: readonly string[],
  count: number,
  rng: Rng,
): Omit<AnnotationChoices, 'chosen'> | null {
  const seen = new Set(gold.map(comparable));
  const wrong = pool.filter((text) => {
    const plain = comparable(text);
    return plain !== '' && !seen.has(plain) && seen.add(plain);
  });
  if (wrong.length === 0) return null;
  const hardest = wrong
    .map((text) => ({ text, near: squadF1.perExample(gold, text), chance: rng.next() }))
    .sort((a, b) => b.near - a.near || a.chance - b.chance)
    .slice(0, count)
    .map(({ text }) => text);
  const right = rng.below(hardest.length + 1);
  return { texts: hardest.toSpliced(right, 0, gold[0] ?? ''), right };
}

/** Place of the choice that an answer is nearest to, by chrF (Popović 2015); of equals the first wrong one, as no answer says it is right. */
export function nearestChoice(
  { texts, right }: Omit<AnnotationChoices, 'chosen'>,
  gold: readonly string[],
  answer: string,
): number {
  const near = texts.map((text, place) => chrfOf(place === right ? gold : [text], answer));
  const best = Math.max(...near);
  const wrong = near.findIndex((value, place) => place !== right && value === best);
  return wrong === -1 ? right : wrong;
}

/** Hard negatives for a text: answers to other examples of the round, and what its context brings as `distractors`. */
export async function distractorPool(
  em: EntityManager,
  round: Pick<Round, 'id'>,
  context: Pick<Context, 'metadata'> | null,
): Promise<readonly string[]> {
  const own = context?.metadata['distractors'];
  const rows = await em.execute<{ label: readonly string[] }[]>(
    `select a.label from annotation a where a.round_id = ? and a.retracted_at is null order by a.id desc limit ${LOOKED_AT}`,
    [round.id],
  );
  const brought = Array.isArray(own) ? own.filter((each) => typeof each === 'string') : [];
  return [...brought, ...rows.flatMap(({ label }) => label)];
}

/** With what each model chose. */
export const withChosen = (
  choices: Omit<AnnotationChoices, 'chosen'>,
  gold: readonly string[],
  answers: readonly LiveAnswer[],
): AnnotationChoices => ({ ...choices, chosen: answers.map(({ answer }) => nearestChoice(choices, gold, answer)) });

function chrfOf(gold: readonly string[], predicted: string): number {
  const context = { labels: [] };
  const sums = new Float64Array(chrf.width(context));
  chrf.contribute({ gold, predicted, probabilities: null }, sums, 0, context);
  return chrf.fromSums(sums, context);
}
