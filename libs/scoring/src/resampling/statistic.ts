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

/** Metrics of two models on the same groups of clusters. Both functions write the values of both models to `a` and `b`. */
export interface PairStatistic {
  /** Computes the metrics where each group counts `times[group]` times. */
  resampled(times: ArrayLike<number>, a: Float64Array, b: Float64Array): void;
  /** Computes the metrics where the models exchange their answers to the groups with a 1 in `swapped`. */
  swapped(swapped: Uint8Array, a: Float64Array, b: Float64Array): void;
}

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
  const { width } = contributions;
  const joint = jointContributions(addedUp(contributions, groupOf, 2 * groups), groups);
  const sums = new Float64Array(2 * width);
  const [sumsOfA, sumsOfB] = [sums.subarray(0, width), sums.subarray(width)];
  // sums of whole numbers are exact in any order
  const swap = joint.amount.every(Number.isInteger) ? swapDifferences(joint, groups) : swapAll(joint, groups);

  return {
    resampled: (times, a, b) => {
      sums.fill(0);
      for (let group = 0; group < groups; group++) addGroup(joint, group, times[group]!, sums);
      take(sumsOfA, a);
      take(sumsOfB, b);
    },
    swapped: (swapped, a, b) => {
      swap(swapped, sums);
      take(sumsOfA, a);
      take(sumsOfB, b);
    },
  };
}

/**
 * Joins the contributions of two models by group: the sums of the first are in [0, width), those of
 * the second in [width, 2 · width).
 */
function jointContributions({ start, at, amount, width }: Contributions, groups: number): Contributions {
  const joint = {
    at: new Int32Array(at.length),
    amount: new Float64Array(at.length),
    start: new Int32Array(groups + 1),
  };
  let used = 0;
  for (let group = 0; group < groups; group++) {
    for (const model of [0, 1]) {
      const part = group + model * groups;
      for (let entry = start[part]!; entry < start[part + 1]!; entry++) {
        joint.at[used] = at[entry]! + model * width;
        joint.amount[used++] = amount[entry]!;
      }
    }
    joint.start[group + 1] = used;
  }
  return { width: 2 * width, ...joint };
}

/** Computes the joint sums where the models exchange their answers to the groups with a 1 in `swapped`. */
type Swap = (swapped: Uint8Array, sums: Float64Array) => void;

/** Returns the same contributions with the models exchanged. */
function exchanged(joint: Contributions): Contributions {
  const half = joint.width / 2;
  return { ...joint, at: joint.at.map((sum) => (sum < half ? sum + half : sum - half)) };
}

/** Adds up the contributions of each model. */
function swapAll(joint: Contributions, groups: number): Swap {
  const other = exchanged(joint);
  return (swapped, sums) => {
    sums.fill(0);
    for (let group = 0; group < groups; group++) addGroup(swapped[group] === 1 ? other : joint, group, 1, sums);
  };
}

/** Adds to the sums without swaps what each swapped group changes. Exact only for whole numbers. */
function swapDifferences(joint: Contributions, groups: number): Swap {
  const unswapped = new Float64Array(joint.width);
  for (let group = 0; group < groups; group++) addGroup(joint, group, 1, unswapped);
  const changes = groupChanges(joint, groups);
  return (swapped, sums) => {
    sums.set(unswapped);
    for (let group = 0; group < groups; group++) if (swapped[group] === 1) addGroup(changes, group, 1, sums);
  };
}

/** Returns, by group, what a swap adds to the sums, without zeros. */
function groupChanges(joint: Contributions, groups: number): Contributions {
  const other = exchanged(joint);
  const change = new Float64Array(joint.width);
  const [at, amount]: [number[], number[]] = [[], []];
  const start = new Int32Array(groups + 1);
  for (let group = 0; group < groups; group++) {
    addGroup(joint, group, -1, change);
    addGroup(other, group, 1, change);
    for (const entries of [joint, other]) {
      for (let entry = joint.start[group]!; entry < joint.start[group + 1]!; entry++) {
        const sum = entries.at[entry]!;
        if (change[sum] === 0) continue;
        at.push(sum);
        amount.push(change[sum]!);
        change[sum] = 0;
      }
    }
    start[group + 1] = at.length;
  }
  return { width: joint.width, start, at: Int32Array.from(at), amount: Float64Array.from(amount) };
}

/** Adds the contributions of one group, `times` times. */
function addGroup({ start, at, amount }: Contributions, group: number, times: number, sums: Float64Array): void {
  if (times === 0) return;
  const end = start[group + 1]!;
  for (let entry = start[group]!; entry < end; entry++) sums[at[entry]!]! += times * amount[entry]!;
}

/**
 * Computes a metric of two models from how often each example counts: a positive number counts it
 * for the first model, a negative number for the second.
 */
export type PreparedPair = (times: Int32Array, a: Float64Array, b: Float64Array) => void;

/** Creates a metric of two models that needs every example. `groupOf` is as for `pairSums`. */
export function pairColumns(groupOf: Int32Array, groups: number, prepared: PreparedPair): PairStatistic {
  const timesOf = new Int32Array(groupOf.length);
  const timesOfGroup = new Int32Array(2 * groups);
  const count = (a: Float64Array, b: Float64Array): void => {
    for (let index = 0; index < groupOf.length; index++) timesOf[index] = timesOfGroup[groupOf[index]!]!;
    prepared(timesOf, a, b);
  };
  return {
    resampled: (times, a, b) => {
      for (let group = 0; group < groups; group++) {
        timesOfGroup[group] = times[group]!;
        timesOfGroup[groups + group] = -times[group]!;
      }
      count(a, b);
    },
    swapped: (swapped, a, b) => {
      for (let group = 0; group < groups; group++) {
        const sign = 1 - 2 * swapped[group]!;
        timesOfGroup[group] = sign;
        timesOfGroup[groups + group] = -sign;
      }
      count(a, b);
    },
  };
}

/** Computes the metric of one model after that of the other, as `prepared` does for one. */
export function preparedOneByOne(examples: number, prepared: (times: ArrayLike<number>) => number): PreparedPair {
  const timesOfOne = new Int32Array(examples);
  const valueOf = (times: Int32Array, sign: number): number => {
    for (let index = 0; index < examples; index++) timesOfOne[index] = Math.max(0, sign * times[index]!);
    return prepared(timesOfOne);
  };
  return (times, a, b) => {
    a[0] = valueOf(times, 1);
    b[0] = valueOf(times, -1);
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
