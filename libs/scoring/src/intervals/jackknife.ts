import type { Statistic } from '../resampling/statistic.js';
import type { Work } from '../resampling/work.js';
import type { Profiles } from './cluster-profiles.js';

/** The largest number of deletions. More clusters are deleted in this many groups. */
const MOST_DELETIONS = 1_000;
/** The number of deletions in one step of the work. */
const STEP = 10;

/** The value of a statistic without a group of clusters, and how many such groups there are. */
export interface Deletion {
  readonly value: number;
  readonly times: number;
}

export interface Jackknife {
  readonly standardError: number;
  /** The acceleration of the BCa bootstrap: a sixth of the skewness of the deletions. */
  readonly acceleration: number;
  /** False if some deletion leaves the statistic undefined. */
  readonly isDefined: boolean;
}

export const NO_JACKKNIFE: Jackknife = { standardError: NaN, acceleration: 0, isDefined: true };

/**
 * Returns the delete-a-group jackknife (Efron & Tibshirani 1993, ch. 11 and 14.3). Deletions that
 * differ from `value` by rounding alone count as equal to it.
 */
export function jackknife(deletions: readonly Deletion[], value: number): Jackknife {
  let groups = 0;
  let sum = 0;
  for (const deletion of deletions) {
    groups += deletion.times;
    sum += deletion.times * deletion.value;
  }
  const mean = sum / groups;
  let squares = 0;
  let cubes = 0;
  for (const deletion of deletions) {
    const difference = mean - deletion.value;
    squares += deletion.times * difference ** 2;
    cubes += deletion.times * difference ** 3;
  }
  const standardError = Math.sqrt(((groups - 1) / groups) * squares);
  const isConstant = standardError <= 1e-12 * Math.max(1, Math.abs(value));
  return {
    standardError: isConstant ? 0 : standardError,
    acceleration: isConstant ? 0 : cubes / (6 * squares ** 1.5),
    isDefined: !Number.isNaN(mean),
  };
}

/** Returns the deletions of a statistic of drawn groups. */
export function* groupDeletions(statistic: Statistic, groups: number): Work<Deletion[]> {
  const together = Math.min(groups, MOST_DELETIONS);
  const times = new Uint8Array(groups).fill(1);
  const deletions: Deletion[] = [];
  for (let first = 0; first < together; first++) {
    for (let group = first; group < groups; group += together) times[group] = 0;
    deletions.push({ value: statistic(times), times: 1 });
    for (let group = first; group < groups; group += together) times[group] = 1;
    if (first % STEP === STEP - 1) yield;
  }
  return deletions;
}

/**
 * Returns the deletions of a statistic of cell counts. Clusters with the same content give the same
 * value, so each content is deleted once.
 *
 * @param observed the counts of all examples; changed during the call only
 */
export function profileDeletions(
  profiles: Profiles,
  observed: Float64Array,
  valueOf: (counts: Float64Array) => number,
): Deletion[] {
  const { start, cell, amount, multiplicity, member, clusters } = profiles;
  const contents = multiplicity.length;
  const change = (profile: number, sign: 1 | -1): void => {
    for (let entry = start[profile]!; entry < start[profile + 1]!; entry++) {
      observed[cell[entry]!]! += sign * amount[entry]!;
    }
  };
  const groups = Math.min(contents <= MOST_DELETIONS ? contents : clusters, MOST_DELETIONS);
  return Array.from({ length: groups }, (_, first) => {
    const deleted = contents <= MOST_DELETIONS ? [first] : everyNth(member, first, groups);
    for (const profile of deleted) change(profile, -1);
    const value = valueOf(observed);
    for (const profile of deleted) change(profile, 1);
    return { value, times: contents <= MOST_DELETIONS ? multiplicity[first]! : 1 };
  });
}

function everyNth(of: Int32Array, first: number, step: number): number[] {
  const found: number[] = [];
  for (let index = first; index < of.length; index += step) found.push(of[index]!);
  return found;
}
