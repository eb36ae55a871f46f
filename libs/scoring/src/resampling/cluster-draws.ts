import { seededRng } from '@assay/kernel';

// bound once, because it is called for every draw
const { imul } = Math;

export const RESAMPLES = 1000;
/**
 * The maximum number of groups in a draw. More clusters are pooled into this many groups, which
 * limits the time of a resample.
 */
const MAXIMUM_GROUPS = 10_000;

const CHUNK = 50;

/** Draws in chunks: for each draw, how often each group counts. */
export type Draws = Generator<readonly ArrayLike<number>[], void, void>;

/**
 * Returns the number of groups that this many clusters are drawn as. Cluster c is in group c modulo
 * that number.
 */
export const drawnGroups = (clusters: number): number => Math.min(clusters, MAXIMUM_GROUPS);

/**
 * Draws as many groups as there are, with replacement, `RESAMPLES` times. Yields 50 draws at a
 * time, each with how often each group was drawn; the next yield overwrites them. The draws depend
 * only on the seed and the number of clusters, so statistics resampled with the same two are
 * resampled jointly.
 */
export function* clusterDraws(seed: string, clusters: number): Generator<readonly Uint8Array[], void, void> {
  const groups = drawnGroups(clusters);
  const rng = seededRng(`resamples/${seed}`);
  const state = Int32Array.from({ length: 4 }, () => rng.below(0x1_0000_0000));
  // up to 255 groups cannot overflow a byte; with more, the probability is below 1e-500
  const buffer = new Uint8Array(groups * CHUNK);
  const chunk = Array.from({ length: CHUNK }, (_, draw) => buffer.subarray(draw * groups, (draw + 1) * groups));
  for (let drawn = 0; drawn < RESAMPLES; drawn += CHUNK) {
    buffer.fill(0);
    for (const times of chunk) drawGroups(times, state);
    yield chunk;
  }
}

/**
 * Counts `times.length` uniform draws. Each number of the generator gives two draws, by
 * multiplication with rejection of the surplus 65536 mod groups values (Lemire 2019), so that all
 * groups are equally likely. A rejected draw is added as 0, because a branch would cost more. The
 * generator (sfc32) is inlined, because a call per draw would cost four times as much.
 */
function drawGroups(times: Uint8Array, state: Int32Array): void {
  const groups = times.length;
  const mostRejected = (0x1_0000 % groups) - 1;
  let a = state[0]!;
  let b = state[1]!;
  let c = state[2]!;
  let counter = state[3]!;
  let left = groups;
  while (left > 0) {
    const bits = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + bits) | 0;
    const one = imul(bits & 0xffff, groups);
    const isOne = (mostRejected - (one & 0xffff)) >>> 31;
    times[one >>> 16]! += isOne;
    left -= isOne;
    const other = imul(bits >>> 16, groups);
    // and only if a draw is left
    const isOther = ((mostRejected - (other & 0xffff)) & -left) >>> 31;
    times[other >>> 16]! += isOther;
    left -= isOther;
  }
  state.set([a, b, c, counter]);
}
