import { consecutiveTies } from './consecutive-ties.js';
import { PairedDraws } from './paired-draws.js';
import type { JointRanksInput, RankInterval } from './rank-interval.js';
import { RankBounds } from './rank-bounds.js';

export interface JointRanksOptions {
  /**
   * The number of places with an interval. Default: 200. The other places take part in the draws.
   */
  readonly places?: number;
  /**
   * `rows` (default): every row has a tie. `groups`: only the heads of groups have one, each
   * followed by its group and then the next head. The other rows have 0 and are not compared.
   */
  readonly ties?: 'rows' | 'groups';
}

/**
 * Returns rank intervals of the first places from joint draws. A model without draws is constant.
 *
 * - `rankLow`, `rankHigh`: the 95% interval, which covers the ranks that the simultaneous
 *   comparisons with all others leave open (`RankBounds`)
 * - `first`: the share of draws in which the model was first
 * - `tie`: the number of consecutive rows below that are not separated from it, where the paired
 *   interval of the difference contains 0 after Holm's correction over the compared pairs
 */
export const jointRanks = (input: JointRanksInput, options: JointRanksOptions = {}): readonly RankInterval[] => [
  ...jointRanksInTurn(input, options),
];

/**
 * Yields the same intervals place by place, so that other work can run in between. 200 of 400
 * places take 0.05 to 0.15 s.
 */
export function* jointRanksInTurn(
  input: JointRanksInput,
  { places = 200, ties: looked = 'rows' }: JointRanksOptions = {},
): Generator<RankInterval, void> {
  const { scores, resamples } = input;
  const shown = Math.min(scores.length, places);
  const draws = new PairedDraws(input);
  const bounds = new RankBounds(draws);
  const firsts = shareOfFirsts(input);
  const ties = consecutiveTies(draws, shown, looked);

  for (let place = 0; place < shown; place++) {
    const tie = ties[place]!;
    if (resamples[place]) yield { ...bounds.of(place), first: firsts[place]!, tie };
    else yield { rankLow: null, rankHigh: null, first: null, tie };
  }
}

/** Returns, per place, the share of draws in which no place was above it. */
function shareOfFirsts({ scores, resamples }: JointRanksInput): Float64Array {
  const draws = resamples.find((each) => each !== null)?.length ?? 0;
  const best = new Float64Array(draws).fill(-Infinity);
  for (const [place, column] of resamples.entries()) {
    for (let draw = 0; draw < draws; draw++) {
      const score = column ? column[draw]! : scores[place]!;
      if (score > best[draw]!) best[draw] = score;
    }
  }
  const shares = new Float64Array(resamples.length);
  for (const [place, column] of resamples.entries()) {
    let times = 0;
    for (let draw = 0; draw < draws; draw++) if ((column ? column[draw] : scores[place]) === best[draw]) times++;
    shares[place] = times / draws;
  }
  return shares;
}
