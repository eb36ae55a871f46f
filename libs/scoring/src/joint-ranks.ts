import { consecutiveTies } from './consecutive-ties.js';
import { PairedDraws } from './paired-draws.js';
import type { JointRanksInput, RankInterval } from './rank-interval.js';
import { RankBounds } from './rank-bounds.js';

export interface JointRanksOptions {
  /** How many places get an interval; default 200. The others take part in the draws. */
  readonly places?: number;
  /**
   * `rows` (default): every row has its tie. `groups`: only the heads of groups have, each followed by its group and then the next head; the others
   * have 0, and are no pairs looked at.
   */
  readonly ties?: 'rows' | 'groups';
}

/**
 * Intervals of the first places' ranks from joint draws; one whose draws are not known stands still. A rank's 95% interval runs
 * over the ranks that its simultaneous comparisons with all others leave open (`RankBounds`). `first`: in how many draws it was first. `tie`:
 * the number of consecutive rows below that are not separated from it, the paired interval of the difference, Holm over the pairs looked
 * at, holding 0.
 */
export const jointRanks = (input: JointRanksInput, options: JointRanksOptions = {}): readonly RankInterval[] => [
  ...jointRanksInTurn(input, options),
];

/** The same place after place, for who lets others have their turn in between: 200 of 400 places take 0.05 to 0.15 s. */
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

/** By place, in which share of the draws none was above it. */
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
