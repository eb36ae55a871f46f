import type { Estimate } from './estimate.js';
import { resampledEstimate } from './intervals/bootstrap.js';
import { Numbering } from './numbering.js';
import type { Statistic } from './resampling/statistic.js';
import type { Work } from './resampling/work.js';

/**
 * The ratings of each unit, in any order. Missing ratings are left out, and units may have
 * different raters.
 */
export type RatedUnits<T> = readonly (readonly T[])[];

/** Krippendorff's alpha and the data it is based on. */
export interface Agreement {
  /**
   * 1: perfect agreement; 0: agreement by chance; negative: systematic disagreement. With the
   * percentile bootstrap interval over units.
   */
  readonly alpha: Estimate;
  /** Number of units with at least two ratings. Other units carry no information. */
  readonly units: number;
  /** Number of ratings of those units. */
  readonly ratings: number;
}

/**
 * Returns Krippendorff's alpha for nominal values, with any number of raters and missing values
 * (Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability", D). The interval comes from
 * 1000 resamples of units. Null if alpha is undefined: no unit has two ratings, or all ratings are
 * equal, so that none could differ by chance.
 */
export function* nominalAlpha(units: RatedUnits<string>, seed: string): Work<Agreement | null> {
  const places = new Numbering<string>();
  const paired = units.filter(({ length }) => length > 1).map((unit) => unit.map((value) => places.of(value)));
  const contributions = paired.map((unit) => {
    const values = Array.from(
      Map.groupBy(unit, (place) => place),
      ([place, { length }]) => [place, length] as const,
    );
    const same = values.reduce((sum, [, count]) => sum + count * count, 0);
    return { within: (unit.length ** 2 - same) / (unit.length - 1), values };
  });
  return yield* estimated(paired, seed, (groupOf) => {
    const totals = new Float64Array(places.size);
    return (times) => {
      totals.fill(0);
      let ratings = 0;
      let within = 0;
      for (const [index, unit] of contributions.entries()) {
        const drawn = times[groupOf[index]!]!;
        within += drawn * unit.within;
        ratings += drawn * paired[index]!.length;
        for (const [place, count] of unit.values) totals[place]! += drawn * count;
      }
      const same = totals.reduce((sum, total) => sum + total * total, 0);
      return alphaOf(within, ratings ** 2 - same, ratings);
    };
  });
}

/**
 * Returns Krippendorff's alpha for sets of values, like `nominalAlpha`. The distance is MASI
 * (Passonneau 2006): 1 − J · M, where J is the Jaccard index of the two sets, and M is 1 for equal
 * sets, 2/3 if one contains the other, 1/3 if they overlap otherwise, and 0 if they have nothing in
 * common. Two empty sets are equal. For sets of one value it is the nominal distance.
 */
export function* setAlpha(units: RatedUnits<ReadonlySet<string>>, seed: string): Work<Agreement | null> {
  const places = new Numbering<string>();
  const sets: ReadonlySet<string>[] = [];
  const paired = units
    .filter(({ length }) => length > 1)
    .map((unit) =>
      unit.map((set) => {
        const place = places.of(JSON.stringify([...set].sort()));
        sets[place] ??= set;
        return place;
      }),
    );
  const alike = yield* alikeSets(sets);
  const likeness = (one: number, other: number): number => alike[one]!.get(other) ?? 0;
  const within = paired.map((unit) => {
    const pairs = unit.flatMap((one, index) => unit.slice(index + 1).map((other) => 1 - likeness(one, other)));
    return (2 * pairs.reduce((sum, each) => sum + each, 0)) / (unit.length - 1);
  });
  return yield* estimated(paired, seed, (groupOf) => {
    const totals = new Float64Array(sets.length);
    return (times) => {
      totals.fill(0);
      let ratings = 0;
      let differences = 0;
      for (const [index, unit] of paired.entries()) {
        const drawn = times[groupOf[index]!]!;
        differences += drawn * within[index]!;
        ratings += drawn * unit.length;
        for (const place of unit) totals[place]! += drawn;
      }
      let same = 0;
      for (const [place, others] of alike.entries()) {
        if (totals[place] === 0) continue;
        for (const [other, like] of others) same += totals[place]! * totals[other]! * like;
      }
      return alphaOf(differences, ratings ** 2 - same, ratings);
    };
  });
}

/** Returns, per set, the sets that have something in common with it, with 1 − their distance. */
function* alikeSets(sets: readonly ReadonlySet<string>[]): Work<ReadonlyMap<number, number>[]> {
  const holders = new Map<string, number[]>();
  for (const [place, set] of sets.entries()) {
    for (const value of set) holders.set(value, [...(holders.get(value) ?? []), place]);
  }
  const alike: ReadonlyMap<number, number>[] = [];
  for (const [place, set] of sets.entries()) {
    const others = new Set([place, ...Array.from(set).flatMap((value) => holders.get(value)!)]);
    alike.push(new Map(Array.from(others, (other) => [other, masiLikeness(set, sets[other]!)])));
    yield;
  }
  return alike;
}

function masiLikeness(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const both = one.intersection(other).size;
  const either = one.size + other.size - both;
  if (both === either) return 1;
  const isContained = both === Math.min(one.size, other.size);
  return (both / either) * (isContained ? 2 / 3 : 1 / 3);
}

/**
 * Returns Krippendorff's alpha for numbers, like `nominalAlpha`. The distance is the squared
 * difference.
 */
export function* intervalAlpha(units: RatedUnits<number>, seed: string): Work<Agreement | null> {
  const paired = units.filter(({ length }) => length > 1);
  const all = paired.flat();
  // sums of squares about the mean keep their precision if numbers are large and close together
  const centre = all.reduce((sum, value) => sum + value, 0) / all.length;
  const moments = paired.map((unit) => {
    const sum = unit.reduce((total, value) => total + (value - centre), 0);
    const squares = unit.reduce((total, value) => total + (value - centre) ** 2, 0);
    const pairs = unit.flatMap((one, place) => unit.slice(place + 1).map((other) => (one - other) ** 2));
    return { sum, squares, within: (2 * pairs.reduce((total, each) => total + each, 0)) / (unit.length - 1) };
  });
  return yield* estimated(paired, seed, (groupOf) => (times) => {
    let ratings = 0;
    let within = 0;
    let sum = 0;
    let squares = 0;
    for (const [index, unit] of moments.entries()) {
      const drawn = times[groupOf[index]!]!;
      within += drawn * unit.within;
      ratings += drawn * paired[index]!.length;
      sum += drawn * unit.sum;
      squares += drawn * unit.squares;
    }
    return alphaOf(within, 2 * (ratings * squares - sum * sum), ratings);
  });
}

/** Alpha is 1 for perfect agreement, and below 0 for systematic disagreement. */
const ALPHA = { range: [-1, 1], unit: 'ratio' } as const;

function* estimated(
  paired: RatedUnits<unknown>,
  seed: string,
  statisticOf: (groupOf: Int32Array) => Statistic,
): Work<Agreement | null> {
  const alpha = yield* resampledEstimate(statisticOf, paired.length, null, `agreement ${seed}`, ALPHA);
  if (Number.isNaN(alpha.value)) return null;
  return { alpha, units: paired.length, ratings: paired.reduce((sum, { length }) => sum + length, 0) };
}

/**
 * Returns alpha, or NaN if it is undefined.
 *
 * @param within sum over units of the differences of their ordered pairs
 *   ÷ (ratings of the unit − 1)
 * @param between sum of the differences of all ordered pairs of ratings
 */
const alphaOf = (within: number, between: number, ratings: number): number =>
  between > 0 ? 1 - ((ratings - 1) * within) / between : NaN;
