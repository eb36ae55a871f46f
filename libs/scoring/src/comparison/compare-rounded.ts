import { bareEstimate, Z95 } from '../estimate.js';
import { twoSidedNormal } from '../intervals/normal.js';
import { type Comparison, DETECTABLE } from './compare-paired.js';

interface RoundedScore {
  readonly value: number;
  readonly standardError?: number | null;
}

/**
 * Compares two models by their rounded scores alone, so that nothing else about their answers can be
 * derived from the result. The models count as if they had answered different examples:
 * SE² = SE_a² + SE_b², the 95% interval is a − b ± 1.96 SE, and p its two-sided normal tail. For
 * models that are right on similar examples this is wider than a paired comparison.
 * @param n the number of examples
 */
export function compareRounded(a: RoundedScore, b: RoundedScore, n: number): Comparison {
  const value = a.value - b.value;
  const common = { n, a: a.value, b: b.value, test: 'unpaired', draws: null, discordant: null } as const;
  const standardError = Math.hypot(a.standardError ?? NaN, b.standardError ?? NaN);
  if (!(standardError > 0)) return { ...common, difference: bareEstimate(value), p: null, detectable: null };
  const reach = Z95 * standardError;
  return {
    ...common,
    difference: { value, low: value - reach, high: value + reach, standardError },
    p: twoSidedNormal(value / standardError),
    detectable: DETECTABLE * standardError,
  };
}
