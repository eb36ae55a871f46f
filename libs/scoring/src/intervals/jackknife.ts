import type { Partition } from '../estimate.js';
import { drawnGroups } from '../resampling/cluster-draws.js';
import type { Drawing } from '../resampling/drawing.js';
import type { Statistic } from '../resampling/statistic.js';
import type { Work } from '../resampling/work.js';
import { crossedStandardError } from './bell-mccaffrey.js';
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

/**
 * Returns the jackknife of a statistic of drawn groups. With crossed clusters, the variances combine
 * as in `crossedError`, and the acceleration is that of the way with the larger variance.
 */
export function* drawnJackknife(statistic: Statistic, drawing: Drawing, value: number): Work<Jackknife> {
  const groups = jackknife(yield* groupDeletions(statistic, drawing), value);
  if (!drawing.ways) return groups;
  const [one, other] = drawing.ways;
  const ofOne = jackknife(yield* groupDeletions(statistic, drawing, one), value);
  const ofOther = jackknife(yield* groupDeletions(statistic, drawing, other), value);
  const larger = ofOne.standardError < ofOther.standardError ? ofOther : ofOne;
  return {
    standardError: crossedStandardError(ofOne.standardError, ofOther.standardError, groups.standardError),
    acceleration: larger.acceleration,
    isDefined: ofOne.isDefined && ofOther.isDefined,
  };
}

/** Returns the deletions of groups, or of the clusters of groups. At most 1,000, each of several. */
function* groupDeletions(statistic: Statistic, { groups }: Drawing, clusters?: Partition): Work<Deletion[]> {
  const together = Math.min(drawnGroups(clusters?.count ?? groups), MOST_DELETIONS);
  const times = new Uint8Array(groups).fill(1);
  const deletions: Deletion[] = [];
  const members = membersOf(groups, together, clusters);
  for (const [first, deleted] of members.entries()) {
    for (const group of deleted) times[group] = 0;
    deletions.push({ value: statistic(times), times: 1 });
    for (const group of deleted) times[group] = 1;
    if (first % STEP === STEP - 1) yield;
  }
  return deletions;
}

/** Returns the groups that each of `count` deletions leaves out. */
function membersOf(groups: number, count: number, clusters?: Partition): readonly (readonly number[])[] {
  const members: number[][] = Array.from({ length: count }, () => []);
  for (let group = 0; group < groups; group++) members[(clusters ? clusters.of[group]! : group) % count]!.push(group);
  return members;
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
