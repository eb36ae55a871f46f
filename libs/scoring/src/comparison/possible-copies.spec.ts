import { type Rng, seededRng } from '@assay/kernel';
import { describe, expect, it } from '@jest/globals';
import { drawNormal } from '../random-draws.js';
import { packRight } from '../resampling/right-answers.js';
import { type JudgedAnswers, possibleCopies } from './possible-copies.js';

interface Population {
  readonly name: string;
  readonly models: number;
  readonly examples: number;
  /** The standard deviations of the difficulty of examples: for all models, for a family, and for each model. */
  readonly difficulty: readonly [all: number, family: number, own: number];
  readonly families: number;
}

const FAMILIES: Population = {
  name: 'families',
  ...{ models: 20, examples: 1000, difficulty: [1.5, 2, 1], families: 4 },
};
const POPULATIONS: readonly Population[] = [
  { name: 'few models', models: 6, examples: 300, difficulty: [1, 0, 1], families: 1 },
  { name: 'many models', models: 40, examples: 400, difficulty: [1, 0, 1], families: 1 },
  { name: 'hard and easy examples', models: 20, examples: 1000, difficulty: [3, 0, 1], families: 1 },
  FAMILIES,
  { name: 'one pair of a family', models: 12, examples: 2000, difficulty: [1, 2.5, 1], families: 11 },
];

/** Draws which answers are right: a model is right where its skill exceeds the difficulty. */
function draw({ models, examples, difficulty: [all, family, own], families }: Population, rng: Rng): number[][] {
  const shared = Array.from({ length: examples }, () => all * drawNormal(rng));
  const ofFamily = Array.from({ length: families }, () => shared.map((each) => each + family * drawNormal(rng)));
  return Array.from({ length: models }, (_, model) => {
    const skill = 1 + 0.6 * drawNormal(rng);
    return ofFamily[model % families]!.map((each) => (each + own * drawNormal(rng) < skill ? 1 : 0));
  });
}

const answersOf = (right: readonly number[], owner: string, copies?: number): JudgedAnswers => ({
  owner,
  copies,
  right: packRight(right),
  wrong: right.filter((each) => each === 0).length,
});
const ownersOf = (boards: readonly (readonly number[])[]) =>
  boards.map((right, model) => answersOf(right, `owner ${model}`));

/** Returns the place of a model with a typical accuracy. */
function placeOfMedian(models: readonly (readonly number[])[]): number {
  const sums = models.map((right, place) => ({ place, sum: right.reduce((one, other) => one + other, 0) }));
  return sums.toSorted((one, other) => one.sum - other.sum)[models.length >> 1]!.place;
}

describe('possibleCopies', () => {
  // 2,230 boards of these and similar populations accused nobody
  it.each(POPULATIONS)('accuses no models of boards without copies: $name', (population) => {
    const rng = seededRng(population.name);
    for (let board = 0; board < 15; board++) {
      expect(possibleCopies(ownersOf(draw(population, rng)), population.examples)).toEqual([]);
    }
  });

  it.each(POPULATIONS)('finds a copy, and nothing else: $name', (population) => {
    const rng = seededRng(`copy ${population.name}`);
    let found = 0;
    for (let board = 0; board < 8; board++) {
      const models = draw(population, rng);
      const place = placeOfMedian(models);
      models.push(models[place]!);
      const pairs = possibleCopies(ownersOf(models), population.examples);
      const isCopy = ([one, other]: readonly [number, number]) => one === place && other === models.length - 1;
      if (pairs.some(isCopy)) found++;
      expect(pairs.filter((pair) => !isCopy(pair))).toEqual([]);
    }
    expect(found).toBeGreaterThanOrEqual(6);
  });

  it('finds a copy of which 1% of the answers differ', () => {
    const rng = seededRng('changed copy');
    const models = draw(FAMILIES, rng);
    const place = placeOfMedian(models);
    models.push(models[place]!.map((each) => (rng.next() < 0.01 ? 1 - each : each)));
    expect(possibleCopies(ownersOf(models), FAMILIES.examples)).toEqual([[place, models.length - 1]]);
  });

  it('leaves out models of one owner and known copies', () => {
    const rng = seededRng('one owner');
    const models = draw(FAMILIES, rng);
    const others = ownersOf(models);
    const copy = models[3]!;
    expect(possibleCopies([...others, answersOf(copy, 'somebody else')], 1000)).toEqual([[3, 20]]);
    expect(possibleCopies([...others, answersOf(copy, 'owner 3')], 1000)).toEqual([]);
    const known = others.map((each, place) => (place === 3 ? { ...each, copies: 1 } : each));
    expect(possibleCopies([...known, answersOf(copy, 'somebody else', 1)], 1000)).toEqual([]);
  });

  it('says nothing with few models or few errors', () => {
    const rng = seededRng('few');
    const [one, other] = draw(FAMILIES, rng);
    expect(possibleCopies(ownersOf([one!, one!, other!]), 1000)).toEqual([]);
    const good = Array.from({ length: 500 }, (_, index) => (index < 10 ? 0 : 1));
    expect(possibleCopies(ownersOf(Array.from({ length: 8 }, () => good)), 500)).toEqual([]);
    expect(possibleCopies([], 0)).toEqual([]);
  });
});
