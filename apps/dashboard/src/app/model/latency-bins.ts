/** A latency bin with its number of requests `n`. Bounds in milliseconds. */
export interface LatencyBin {
  readonly low: number;
  readonly high: number;
  readonly n: number;
}

/**
 * A bin with the model's and the null model's share of requests in it, from 0 to 1. Bounds in
 * milliseconds.
 */
export interface SharedBin {
  readonly low: number;
  readonly high: number;
  readonly model: number;
  readonly floor: number;
}

/**
 * Aligns two latency distributions on common bins without gaps. All bins of the API have the same
 * edges and the same width on a logarithmic scale.
 */
export function sharedBins(model: readonly LatencyBin[], floor: readonly LatencyBin[]): readonly SharedBin[] {
  const all = [...model, ...floor];
  if (all.length === 0) return [];
  const width = all[0]!.high / all[0]!.low;
  const place = ({ low }: { readonly low: number }): number => Math.round(Math.log(low) / Math.log(width));
  const [shares, floors] = [shareByPlace(model, place), shareByPlace(floor, place)];
  const [first, last] = [Math.min(...all.map(place)), Math.max(...all.map(place))];
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const at = first + index;
    return {
      low: width ** at,
      high: width ** (at + 1),
      model: shares.get(at) ?? 0,
      floor: floors.get(at) ?? 0,
    };
  });
}

function shareByPlace(bins: readonly LatencyBin[], place: (bin: LatencyBin) => number): ReadonlyMap<number, number> {
  const total = bins.reduce((sum, { n }) => sum + n, 0);
  return new Map(bins.map((bin) => [place(bin), bin.n / total]));
}
