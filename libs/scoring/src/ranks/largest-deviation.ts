import type { PairedDraws } from './paired-draws.js';

/** Another place of the ranking and its distance. */
export interface Opponent {
  readonly other: number;
  /** Standard error of the difference; above 0. */
  readonly error: number;
  /** |difference| ÷ its standard error. */
  readonly t: number;
}

/** The number of draws per block. The extremes of a block are checked before its draws. */
const BLOCK = 16;
/** The number of opponents after which to check whether enough draws have reached the limit. */
const PAUSE = 32;
/** How far below the quantile of one place the search for that of the next place starts. */
const MARGIN = 0.12;

const { abs, floor, max, min } = Math;

/**
 * Quantiles over the draws of the largest |t| between a place and its opponents, where
 * t = (own − other) ÷ error and draws are taken about their means. Most draws of most opponents are
 * far below the quantile. Draws are sorted by what they have in common, so the extremes of sixteen
 * consecutive draws suffice to skip them.
 */
export class LargestDeviation {
  private readonly largest: Float64Array;
  private readonly above: Float64Array;
  private readonly extremes: (Extremes | undefined)[] = [];
  private guess = 0;
  /** `largest` over the first opponents of a place, those with a t up to `least`. */
  private readonly cached: Float64Array;
  private cachedFor = { place: -1, least: 0, opponents: 0 };

  constructor(private readonly draws: PairedDraws) {
    this.largest = new Float64Array(draws.draws);
    this.above = new Float64Array(draws.draws);
    this.cached = new Float64Array(draws.draws);
  }

  /**
   * Returns the quantile of that probability (R's type 7). If it is at least the last t, returns a
   * value that is at least the last t.
   *
   * @param opponents by ascending t; repeated calls for a place pass the same ones, or a prefix of
   *   them
   */
  quantile(place: number, opponents: readonly Opponent[], probability: number): number {
    const least = this.cachedFor.place === place ? this.cachedFor.least : min(this.guess, opponents.at(-1)!.t);
    const found = this.quantileAbove(least, place, opponents, probability);
    const quantile = found ?? this.quantileAbove(0, place, opponents, probability)!;
    this.guess = max(0, quantile - MARGIN);
    return quantile;
  }

  /**
   * Returns the same, but reads only draws above `least`. Null if the quantile is not above
   * `least`.
   */
  private quantileAbove(
    least: number,
    place: number,
    opponents: readonly Opponent[],
    probability: number,
  ): number | null {
    const at = probability * (this.largest.length - 1);
    const farthest = opponents.at(-1)!.t;
    for (let index = this.start(least, place, opponents.length); index < opponents.length; index++) {
      const opponent = opponents[index]!;
      if (opponent.t > least && (index === 0 || opponents[index - 1]!.t <= least)) this.keep(least, place, index);
      this.raise(place, opponent, least);
      if (index % PAUSE === PAUSE - 1 && this.countFrom(farthest) >= this.largest.length - floor(at)) return farthest;
    }
    // a skipped value may be as large as this, because of rounding
    return this.orderStatistic(at, least === 0 ? -1 : least * (1 + 1e-12));
  }

  /**
   * Restores the cached maxima if they are part of the request. Returns how many opponents they
   * cover.
   */
  private start(least: number, place: number, opponents: number): number {
    const { cachedFor } = this;
    if (cachedFor.place === place && cachedFor.least === least && cachedFor.opponents <= opponents) {
      this.largest.set(this.cached);
      return cachedFor.opponents;
    }
    this.largest.fill(0);
    return 0;
  }

  private keep(least: number, place: number, opponents: number): void {
    this.cached.set(this.largest);
    this.cachedFor = { place, least, opponents };
  }

  private countFrom(limit: number): number {
    let count = 0;
    for (let draw = 0; draw < this.largest.length; draw++) if (this.largest[draw]! >= limit) count++;
    return count;
  }

  /**
   * Interpolates between two neighbours in ascending order. Only values above `least` are exact;
   * null if the lower neighbour is not.
   */
  private orderStatistic(at: number, least: number): number | null {
    const { largest, above } = this;
    let count = 0;
    for (let draw = 0; draw < largest.length; draw++) if (largest[draw]! > least) above[count++] = largest[draw]!;
    const below = floor(at) - (largest.length - count);
    if (below < 0) return null;

    const sorted = above.subarray(0, count).sort();
    const low = sorted[below]!;
    return low + (at - floor(at)) * ((sorted[below + 1] ?? low) - low);
  }

  private raise(place: number, { other, error }: Opponent, least: number): void {
    const own = this.draws.deviations(place).values;
    const others = this.draws.deviations(other).values;
    const [mine, theirs] = [this.extremesOf(place), this.extremesOf(other)];
    const limit = least * error;
    const scale = 1 / error;
    for (let block = 0; block < mine.low.length; block++) {
      const isBelow = mine.high[block]! - theirs.low[block]! < limit && theirs.high[block]! - mine.low[block]! < limit;
      if (!isBelow) raiseBlock(this.largest, own, others, scale, block * BLOCK);
    }
  }

  private extremesOf(place: number): Extremes {
    return (this.extremes[place] ??= extremesOf(this.draws.deviations(place).values));
  }
}

function raiseBlock(largest: Float64Array, own: Float64Array, others: Float64Array, scale: number, start: number) {
  const end = Math.min(start + BLOCK, largest.length);
  for (let draw = start; draw < end; draw++) {
    const t = abs(own[draw]! - others[draw]!) * scale;
    if (t > largest[draw]!) largest[draw] = t;
  }
}

/** The extremes of each block of draws. */
interface Extremes {
  readonly low: Float64Array;
  readonly high: Float64Array;
}

function extremesOf(values: Float64Array): Extremes {
  const blocks = Math.ceil(values.length / BLOCK);
  const low = new Float64Array(blocks).fill(Infinity);
  const high = new Float64Array(blocks).fill(-Infinity);
  for (let draw = 0; draw < values.length; draw++) {
    const block = floor(draw / BLOCK);
    low[block] = min(low[block]!, values[draw]!);
    high[block] = max(high[block]!, values[draw]!);
  }
  return { low, high };
}
