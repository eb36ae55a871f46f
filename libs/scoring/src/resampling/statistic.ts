/**
 * Returns a metric of some examples, given how often each group of clusters counts; NaN if it is
 * undefined, for example if no example was drawn.
 */
export type Statistic = (times: ArrayLike<number>) => number;

/** Creates the mean of `scores`, where example i is in group `groupOf[i]`. */
export function meanStatistic(scores: ArrayLike<number>, groupOf: Int32Array): Statistic {
  const { groups, local } = occurring(groupOf);
  const sums = new Float64Array(groups.length);
  const counts = new Float64Array(groups.length);
  for (let index = 0; index < scores.length; index++) {
    sums[local[index]!]! += scores[index]!;
    counts[local[index]!]! += 1;
  }
  const isEveryGroup = groups.at(-1) === groups.length - 1;
  return isEveryGroup ? weightedMean(sums, counts) : weightedMeanAt(groups, sums, counts);
}

/**
 * Handles the case in which every group occurs, so that no group needs a lookup. This is the common
 * case, because most resampled examples are independent.
 */
function weightedMean(sums: Float64Array, counts: Float64Array): Statistic {
  return (times) => {
    let sum = 0;
    let count = 0;
    for (let group = 0; group < sums.length; group++) {
      const drawn = times[group]!;
      sum += drawn * sums[group]!;
      count += drawn * counts[group]!;
    }
    return sum / count;
  };
}

function weightedMeanAt(groups: Int32Array, sums: Float64Array, counts: Float64Array): Statistic {
  return (times) => {
    let sum = 0;
    let count = 0;
    for (let place = 0; place < groups.length; place++) {
      const drawn = times[groups[place]!]!;
      sum += drawn * sums[place]!;
      count += drawn * counts[place]!;
    }
    return sum / count;
  };
}

/** Returns the groups that occur, ascending, and per example the index of its group among them. */
export function occurring(groupOf: Int32Array): { readonly groups: Int32Array; readonly local: Int32Array } {
  const groups = Int32Array.from(new Set(groupOf)).sort();
  const place = new Int32Array((groups.at(-1) ?? -1) + 1);
  for (const [index, group] of groups.entries()) place[group] = index;
  return { groups, local: groupOf.map((group) => place[group]!) };
}

/**
 * The contributions of examples to the sums of a sums metric, without zeros. Example i adds
 * `amount[e]` to the sum `at[e]`, for each e in [start[i], start[i+1]).
 */
export interface Contributions {
  /** Number of sums. */
  readonly width: number;
  readonly start: Int32Array;
  readonly at: Int32Array;
  readonly amount: Float64Array;
}

/**
 * Creates a metric that `fromSums` computes from the summed contributions. Example i is in group
 * `groupOf[i]`.
 */
export function sumsStatistic(
  contributions: Contributions,
  groupOf: Int32Array,
  fromSums: (sums: Float64Array) => number,
): Statistic {
  const { groups, local } = occurring(groupOf);
  const { start, at, amount, width } = addedUp(contributions, local, groups.length);
  const sums = new Float64Array(width);

  return (times) => {
    sums.fill(0);
    let any = false;
    for (let place = 0; place < groups.length; place++) {
      const drawn = times[groups[place]!]!;
      if (drawn === 0) continue;
      any = true;
      const end = start[place + 1]!;
      for (let entry = start[place]!; entry < end; entry++) sums[at[entry]!]! += drawn * amount[entry]!;
    }
    return any ? fromSums(sums) : NaN;
  };
}

/**
 * Metrics of two models, given how often each group of clusters counts, and in which groups the
 * models exchange their answers (1). Writes the values of both to `a` and `b`.
 */
export type PairStatistic = (times: ArrayLike<number>, swapped: Uint8Array, a: Float64Array, b: Float64Array) => void;

/**
 * Creates the sums of two models' contributions for draws of groups. Contributions of the first
 * model are in the groups [0, groups), those of the second to the same examples in
 * [groups, 2 · groups). `take` gets the sums of each model; they are overwritten by the next draw.
 */
export function pairSums(
  contributions: Contributions,
  groupOf: Int32Array,
  groups: number,
  take: (sums: Float64Array, into: Float64Array) => void,
): PairStatistic {
  const { start, at, amount, width } = addedUp(contributions, groupOf, 2 * groups);
  const sums = new Float64Array(2 * width);
  const [sumsOfA, sumsOfB] = [sums.subarray(0, width), sums.subarray(width)];

  return (times, swapped, a, b) => {
    sums.fill(0);
    for (let group = 0; group < groups; group++) {
      const drawn = times[group]!;
      if (drawn === 0) continue;
      const shift = swapped[group]! * width;
      for (let entry = start[group]!; entry < start[group + 1]!; entry++) {
        sums[shift + at[entry]!]! += drawn * amount[entry]!;
      }
      const other = width - shift;
      const second = groups + group;
      for (let entry = start[second]!; entry < start[second + 1]!; entry++) {
        sums[other + at[entry]!]! += drawn * amount[entry]!;
      }
    }
    take(sumsOfA, a);
    take(sumsOfB, b);
  };
}

/**
 * Creates a metric of two models that needs every example: `prepared` takes how often each example
 * counts. `groupOf` is as for `pairSums`.
 */
export function pairColumns(
  groupOf: Int32Array,
  groups: number,
  prepared: (times: ArrayLike<number>) => number,
): PairStatistic {
  const timesOfA = new Int32Array(groupOf.length);
  const timesOfB = new Int32Array(groupOf.length);
  return (times, swapped, a, b) => {
    for (let index = 0; index < groupOf.length; index++) {
      const group = groupOf[index]!;
      const isSecond = group >= groups;
      const example = isSecond ? group - groups : group;
      const isOfA = isSecond === (swapped[example] === 1);
      timesOfA[index] = isOfA ? times[example]! : 0;
      timesOfB[index] = isOfA ? 0 : times[example]!;
    }
    a[0] = prepared(timesOfA);
    b[0] = prepared(timesOfB);
  };
}

/**
 * Adds up the contributions of the examples in each group. Example i is in group `local[i]`,
 * which is in [0, groups).
 */
function addedUp(contributions: Contributions, local: Int32Array, groups: number): Contributions {
  const { start, at, amount, width } = contributions;
  const { members, end } = byGroup(local, groups);
  const entries = {
    at: new Int32Array(at.length),
    amount: new Float64Array(at.length),
    start: new Int32Array(groups + 1),
  };
  const placed = new Int32Array(width).fill(-1);
  let used = 0;
  for (let group = 0; group < groups; group++) {
    const first = used;
    for (let member = end[group]!; member < end[group + 1]!; member++) {
      const example = members[member]!;
      for (let entry = start[example]!; entry < start[example + 1]!; entry++) {
        const sum = at[entry]!;
        if (placed[sum]! < first) {
          placed[sum] = used;
          entries.at[used++] = sum;
        }
        entries.amount[placed[sum]!]! += amount[entry]!;
      }
    }
    entries.start[group + 1] = used;
  }
  return { width, ...entries };
}

/** Sorts the examples by group: those of group g are `members[end[g] … end[g+1])`. */
export function byGroup(local: Int32Array, groups: number): { readonly members: Int32Array; readonly end: Int32Array } {
  const end = new Int32Array(groups + 1);
  for (const group of local) end[group + 1]!++;
  for (let group = 0; group < groups; group++) end[group + 1]! += end[group]!;

  const next = end.slice();
  const members = new Int32Array(local.length);
  for (const [example, group] of local.entries()) members[next[group]!++] = example;
  return { members, end };
}

/**
 * Creates a metric that needs every example: `prepared` takes how often each example counts.
 * Example i is in group `groupOf[i]`.
 */
export function columnsStatistic(prepared: (times: ArrayLike<number>) => number, groupOf: Int32Array): Statistic {
  const timesOf = new Int32Array(groupOf.length);

  return (times) => {
    let any = false;
    for (let index = 0; index < groupOf.length; index++) {
      timesOf[index] = times[groupOf[index]!]!;
      any ||= timesOf[index] !== 0;
    }
    return any ? prepared(timesOf) : NaN;
  };
}
