import { bareEstimate, type Estimate } from './estimate.js';
import { percentileEstimate } from './intervals/bootstrap.js';
import { drawnGroups } from './resampling/cluster-draws.js';
import { groupsOf, resampledValues } from './resampling/resampled-values.js';
import type { Statistic } from './resampling/statistic.js';
import type { Work } from './resampling/work.js';

/** What several raters said of each unit, in any order; who said nothing of a unit is left out. Units differ in who rated them. */
export type RatedUnits<T> = readonly (readonly T[])[];

/** Krippendorff's alpha, with what it is of. */
export interface Agreement {
  /** 1: perfect; 0: as by chance; below: systematic disagreement. With the percentile bootstrap interval over units. */
  readonly alpha: Estimate;
  /** Units that at least two rated: the others say nothing. */
  readonly units: number;
  /** Of those units. */
  readonly ratings: number;
}

/**
 * Krippendorff's alpha of values that are equal or not, by any number of raters, with values missing (Krippendorff 2011, "Computing
 * Krippendorff's Alpha-Reliability", D). The interval is of 1000 resamples of units. Null where nothing can be told: no unit has two ratings, or
 * all ratings are equal, so that none could differ by chance.
 */
export function* nominalAlpha(units: RatedUnits<string>, seed: string): Work<Agreement | null> {
  const places = new Map<string, number>();
  for (const value of units.flat()) if (!places.has(value)) places.set(value, places.size);
  const paired = units.filter(({ length }) => length > 1).map((unit) => unit.map((value) => places.get(value)!));
  const contributions = paired.map((unit) => {
    const counts = new Map<number, number>();
    for (const place of unit) counts.set(place, (counts.get(place) ?? 0) + 1);
    let same = 0;
    for (const count of counts.values()) same += count * count;
    return { within: (unit.length ** 2 - same) / (unit.length - 1), values: [...counts] };
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

/** As `nominalAlpha`, of numbers: they differ by the square of their difference. */
export function* intervalAlpha(units: RatedUnits<number>, seed: string): Work<Agreement | null> {
  const paired = units.filter(({ length }) => length > 1);
  const all = paired.flat();
  // sums of squares about the mean lose no digits where numbers are large and close together
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

function* estimated(
  paired: RatedUnits<unknown>,
  seed: string,
  statisticOf: (groupOf: Int32Array) => Statistic,
): Work<Agreement | null> {
  const statistic = statisticOf(groupsOf(null, paired.length));
  const value = statistic(new Uint8Array(drawnGroups(paired.length)).fill(1));
  if (Number.isNaN(value)) return null;
  const ratings = paired.reduce((sum, { length }) => sum + length, 0);
  if (paired.length < 2) return { alpha: bareEstimate(value), units: paired.length, ratings };
  const [values] = yield* resampledValues([statistic], `agreement ${seed}`, paired.length);
  return { alpha: percentileEstimate(value, values!), units: paired.length, ratings };
}

/**
 * @param within sum over units of the differences of their ordered pairs ÷ (ratings of the unit − 1)
 * @param between sum of the differences of all ordered pairs of ratings
 */
const alphaOf = (within: number, between: number, ratings: number): number =>
  between > 0 ? 1 - ((ratings - 1) * within) / between : NaN;
