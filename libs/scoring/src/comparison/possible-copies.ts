import { medianOf } from '../measures.js';
import { discordantCounts } from '../resampling/right-answers.js';
import { atOnce, type Work } from '../resampling/work.js';

/** The answers of a model to the same examples as those of the others. */
export interface JudgedAnswers {
  readonly owner: string;
  /** The number of its group of known copies. Undefined if it has none. */
  readonly copies?: number | undefined;
  /** Which answers are right, as `packRight` packs them. */
  readonly right: Float32Array;
  /** The number of wrong answers. */
  readonly wrong: number;
}

/** The least wrong answers of a model that is judged: fewer are shared by chance. */
const LEAST_WRONG = 20;
/** The least ratio of the numbers of wrong answers of two models, or of two pairs, that are compared. */
const COMPARABLE = 0.5;
/** The least share of the wrong answers of the better model that the other one has as well. */
const LEAST_SHARED = 0.95;
/** The most examples that only one of them has right ÷ the wrong or the right answers, whichever are fewer. */
const MOST_DIFFERENT = 0.1;
/** The least number of pairs that a pair is compared with. */
const LEAST_PAIRS = 10;
/** The least distance from the median of comparable pairs, in their robust standard deviations. */
const DISTANCE = 6;
/** A normal distribution has this standard deviation ÷ its median absolute deviation. */
const PER_DEVIATION = 1.4826;

/** Two models by their places in the list. */
export type PossibleCopies = readonly [one: number, other: number];

/**
 * Finds pairs of models of different owners that share more wrong answers than such pairs with like accuracy
 * do. The measure is the log odds of a wrong answer of the better model being wrong in the other one too. A
 * pair is a possible copy if it lies 6 robust standard deviations above the median of comparable pairs, shares
 * at least 95% of these answers, and differs on few other examples. All models find the same examples hard, and models of one family have
 * similar errors, so neither the number of shared errors nor independence would be a fair standard. Pairs that
 * are known copies are left out.
 *
 * @param examples the number of examples that all models answered
 */
export const possibleCopies = (models: readonly JudgedAnswers[], examples: number): readonly PossibleCopies[] =>
  atOnce(possibleCopiesInTurn(models, examples));

/** Computes the same, and yields often, so that other work can run in between. */
export function* possibleCopiesInTurn(
  models: readonly JudgedAnswers[],
  examples: number,
): Work<readonly PossibleCopies[]> {
  const pairs: Pair[] = [];
  for (const [one, model] of models.entries()) {
    for (let other = one + 1; other < models.length; other++) {
      const pair = pairOf(model, models[other]!, [one, other]);
      if (pair) pairs.push(pair);
    }
    yield;
  }
  const found: PossibleCopies[] = [];
  for (const pair of pairs) {
    if (!isSuspect(pair, examples)) continue;
    if (isFarAbove(pair, pairs)) found.push(pair.places);
    yield;
  }
  return found;
}

interface Pair {
  readonly places: PossibleCopies;
  /** Wrong answers of the model that has fewer. */
  readonly fewer: number;
  readonly more: number;
  /** Examples that both have wrong. */
  readonly shared: number;
  /** The log odds of a wrong answer of the better model being shared. */
  readonly logOdds: number;
}

/** Returns null for a pair that nothing is compared with. */
function pairOf(one: JudgedAnswers, other: JudgedAnswers, places: PossibleCopies): Pair | null {
  const fewer = Math.min(one.wrong, other.wrong);
  const more = Math.max(one.wrong, other.wrong);
  const isKnown = one.copies !== undefined && one.copies === other.copies;
  if (one.owner === other.owner || isKnown || fewer < LEAST_WRONG || fewer < COMPARABLE * more) return null;
  const discordant = discordantCounts(one.right, other.right);
  const shared = (fewer + more - discordant.one - discordant.other) / 2;
  return { places, fewer, more, shared, logOdds: Math.log((shared + 0.5) / (fewer - shared + 0.5)) };
}

const isSuspect = ({ fewer, more, shared }: Pair, examples: number): boolean =>
  shared >= LEAST_SHARED * fewer && fewer + more - 2 * shared <= MOST_DIFFERENT * Math.min(more, examples - more);

function isFarAbove(pair: Pair, pairs: readonly Pair[]): boolean {
  const comparable = pairs.filter(
    (each) => each !== pair && each.fewer >= COMPARABLE * pair.fewer && pair.fewer >= COMPARABLE * each.fewer,
  );
  if (comparable.length < LEAST_PAIRS) return false;
  const values = comparable.map(({ logOdds }) => logOdds);
  const median = medianOf(values)!;
  const spread = PER_DEVIATION * medianOf(values.map((value) => Math.abs(value - median)))!;
  const share = 1 / (1 + Math.exp(-median));
  // what chance alone gives for this number of wrong answers
  const error = 1 / Math.sqrt(pair.fewer * share * (1 - share));
  return pair.logOdds - median >= DISTANCE * Math.max(spread, error);
}
