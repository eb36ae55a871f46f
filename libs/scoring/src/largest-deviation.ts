import type { PairedDraws } from './paired-draws.js';

/** Another place, and how far it is away. */
export interface Opponent {
  readonly other: number;
  /** Of the difference; above 0. */
  readonly error: number;
  /** |difference| ÷ its standard error. */
  readonly t: number;
}

/** Draws that are held to their extremes before each is looked at. */
const BLOCK = 16;
/** Opponents after which it is counted whether enough draws are reached. */
const PAUSE = 32;
/** How far below the quantile of one place that of the next is looked for. */
const MARGIN = 0.12;

const { abs, floor, max, min } = Math;

/**
 * Quantiles over the draws of the largest |t| between a place and its opponents, |own − other| ÷ error, each draw about its mean. Most draws of
 * most opponents are far below the quantile: as draws are sorted by what they have in common, the extremes of sixteen draws in a row say so.
 */
export class LargestDeviation {
  private readonly largest: Float64Array;
  private readonly above: Float64Array;
  private readonly extremes: (Extremes | undefined)[] = [];
  private guess = 0;
  /** `largest` over the first opponents of a place, those with a t up to `least`. */
  private readonly kept: Float64Array;
  private keptOf = { place: -1, least: 0, opponents: 0 };

  constructor(private readonly draws: PairedDraws) {
    this.largest = new Float64Array(draws.draws);
    this.above = new Float64Array(draws.draws);
    this.kept = new Float64Array(draws.draws);
  }

  /**
   * The quantile of that probability (R's type 7); where it is no less than the last t, at least that.
   * @param opponents by ascending t; for one place the same as before, or fewer from the front
   */
  quantile(place: number, opponents: readonly Opponent[], probability: number): number {
    const least = this.keptOf.place === place ? this.keptOf.least : min(this.guess, opponents.at(-1)!.t);
    const found = this.quantileAbove(least, place, opponents, probability);
    const quantile = found ?? this.quantileAbove(0, place, opponents, probability)!;
    this.guess = max(0, quantile - MARGIN);
    return quantile;
  }

  /** The same; draws are looked at where they are above the `least` alone, and it is null where the quantile is not. */
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
    // with rounding: what was passed over may be as large as this
    return this.orderStatistic(at, least === 0 ? -1 : least * (1 + 1e-12));
  }

  /** Goes back to what was kept, if it is part of what is asked for; gives how many opponents are in it. */
  private start(least: number, place: number, opponents: number): number {
    const { keptOf } = this;
    if (keptOf.place === place && keptOf.least === least && keptOf.opponents <= opponents) {
      this.largest.set(this.kept);
      return keptOf.opponents;
    }
    this.largest.fill(0);
    return 0;
  }

  private keep(least: number, place: number, opponents: number): void {
    this.kept.set(this.largest);
    this.keptOf = { place, least, opponents };
  }

  private countFrom(limit: number): number {
    let count = 0;
    for (let draw = 0; draw < this.largest.length; draw++) if (this.largest[draw]! >= limit) count++;
    return count;
  }

  /** Between two neighbours in ascending order, of which all above the `least` are exact; null where the lower one is not. */
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

/** By block of draws. */
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
