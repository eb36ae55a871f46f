import { seededRng, type Rng } from '@assay/kernel';
import { meanResamples } from '@assay/scoring';
import { EXACT_BELOW, jointRanks, pairedBounds, rankFamily } from '@assay/scoring/ranks';

/** The boards of a population on which every truly best model could be first, by both procedures. */
export interface FirstPlace {
  readonly population: string;
  readonly boards: number;
  /** By the comparisons of each place with all others: boards where every best model's interval has rank 1. */
  readonly perPlace: number;
  /** By one family of all pairs. */
  readonly family: number;
  /** The mean number of models that could be first, by one family of all pairs. */
  readonly candidates: number;
}

interface Population {
  readonly name: string;
  readonly examples: number;
  /** The probability of a right answer, by model. */
  readonly skills: readonly number[];
  /** By model, the number of its group of copies. Copies give the same answers. */
  readonly copies?: readonly number[];
}

export const FIRST_PLACE_POPULATIONS: readonly Population[] = [
  {
    name: 'ten models near the ceiling, 100 examples',
    examples: 100,
    skills: [0.99, 0.988, 0.986, 0.984, 0.982, 0.98, 0.978, 0.976, 0.974, 0.972],
  },
  { name: 'twenty equal models, 300 examples', examples: 300, skills: Array.from({ length: 20 }, () => 0.8) },
  { name: 'two models near the ceiling, 100 examples', examples: 100, skills: [0.99, 0.98] },
  { name: 'two close models, 400 examples', examples: 400, skills: [0.8, 0.79] },
  {
    name: 'copies of the best among eight, 200 examples',
    examples: 200,
    skills: [0.9, 0.9, 0.9, 0.88, 0.86, 0.84, 0.84, 0.7],
    copies: [0, 0, 0, 1, 2, 3, 3, 4],
  },
];

/**
 * Draws boards from a population whose best model is known and counts how often that model (or each
 * of them) could be first. The same seed gives the same counts.
 * @param place position in `FIRST_PLACE_POPULATIONS`
 */
export function firstPlaceTrials(place: number, boards: number, seed: string): FirstPlace {
  const population = FIRST_PLACE_POPULATIONS[place]!;
  const rng = seededRng(`${seed} ${population.name}`);
  const sums = { perPlace: 0, family: 0, candidates: 0 };
  for (let board = 0; board < boards; board++) {
    const found = tryBoard(population, rng, String(board));
    sums.perPlace += Number(found.perPlace);
    sums.family += Number(found.family);
    sums.candidates += found.candidates;
  }
  const { perPlace, family, candidates } = sums;
  return { population: population.name, boards, perPlace, family, candidates: candidates / boards };
}

function tryBoard({ skills, examples, copies }: Population, rng: Rng, seed: string) {
  const answers = drawAnswers(skills, examples, copies, rng);
  const accuracy = answers.map((right) => (100 * right.reduce((sum, each) => sum + each, 0)) / examples);
  const order = Array.from(skills.keys()).sort((a, b) => accuracy[b]! - accuracy[a]!);
  const scores = order.map((model) => accuracy[model]!);
  const clusters = { of: Int32Array.from({ length: examples }, (_, example) => example), count: examples };
  const resamples = order.map((model) => meanResamples(answers[model]!, clusters, seed).map((share) => 100 * share));
  const best = Math.max(...skills);
  const bestPlaces = order.flatMap((model, place) => (skills[model] === best ? [place] : []));

  const intervals = jointRanks({ scores, resamples });
  const { ranks } = rankFamily({
    scores,
    resamples,
    copies: copies && order.map((model) => copies[model]!),
    exactBounds: (one, other, error) => exactBounds(answers[order[one]!]!, answers[order[other]!]!, error),
  });
  return {
    perPlace: bestPlaces.every((place) => intervals[place]!.rankLow === 1),
    family: bestPlaces.every((place) => ranks[place]!.couldBeFirst),
    candidates: ranks.filter(({ couldBeFirst }) => couldBeFirst).length,
  };
}

function exactBounds(one: Float64Array, other: Float64Array, error: number): readonly [number, number] | null {
  const discordant = { one: 0, other: 0, examples: one.length };
  for (const [example, right] of one.entries()) {
    if (right > other[example]!) discordant.one++;
    if (right < other[example]!) discordant.other++;
  }
  if (discordant.one + discordant.other >= EXACT_BELOW) return null;
  const [low, high] = pairedBounds(discordant, error);
  return [100 * low, 100 * high];
}

/** In half of the cases models share the random number and thus fail on the same examples. */
function drawAnswers(
  skills: readonly number[],
  examples: number,
  copies: readonly number[] | undefined,
  rng: Rng,
): readonly Float64Array[] {
  const shared = Float64Array.from({ length: examples }, () => rng.next());
  const answers = skills.map((skill) =>
    shared.map((common) => ((rng.next() < 0.5 ? common : rng.next()) < skill ? 1 : 0)),
  );
  return copies ? answers.map((_, model) => answers[copies.indexOf(copies[model]!)]!) : answers;
}
