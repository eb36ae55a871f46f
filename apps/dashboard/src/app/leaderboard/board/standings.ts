/** The rank interval of a model and its probability of being first, as the API computed them. */
export interface Standing {
  readonly rankLow: number;
  readonly rankHigh: number;
  /** The share of resamples of the examples in which the model is first. */
  readonly first: number | null;
  /** The ID of the model that heads its tie group. Its own ID if it is not tied. */
  readonly group: string;
}

interface StandingRow {
  readonly model: { readonly id: string };
  readonly rankLow: number | null;
  readonly rankHigh: number | null;
  readonly first: number | null;
  readonly tieHead?: string;
}

/** Returns the standings by model ID, in the order of the rows. Skips rows without intervals. */
export function standingsOf(rows: readonly StandingRow[]): ReadonlyMap<string, Standing> {
  return new Map(
    rows.flatMap(
      ({ model: { id }, rankLow, rankHigh, first, tieHead = id }): readonly (readonly [string, Standing])[] =>
        rankLow === null || rankHigh === null ? [] : [[id, { rankLow, rankHigh, first, group: tieHead }]],
    ),
  );
}

/** The position of a row in the bracket that it shares with its neighbours. */
export type Bracket = 'first' | 'middle' | 'last';

/** Returns the part of the bracket to draw. Undefined if neither neighbour is in the same group. */
export function bracketOf(
  group: string | undefined,
  above: string | undefined,
  below: string | undefined,
): Bracket | undefined {
  if (group === undefined) return undefined;
  const [isOpenAbove, isOpenBelow] = [above === group, below === group];
  if (isOpenAbove) return isOpenBelow ? 'middle' : 'last';
  return isOpenBelow ? 'first' : undefined;
}

/** The number of models in the tie group of the first row. */
export function firstGroupSize(standings: ReadonlyMap<string, Standing>): number {
  const groups = Array.from(standings.values(), ({ group }) => group);
  return groups.filter((group) => group === groups[0]).length;
}
