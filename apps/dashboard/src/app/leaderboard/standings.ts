/** How sure a model's rank is, as the API computed it. */
export interface Standing {
  readonly rankLow: number;
  readonly rankHigh: number;
  /** The share of the resamples of the examples in which it comes first. */
  readonly first: number | null;
  /** Id of the model that heads those that can't be told apart; its own where it stands alone. */
  readonly group: string;
}

interface StandingRow {
  readonly model: { readonly id: string };
  readonly rankLow: number | null;
  readonly rankHigh: number | null;
  readonly first: number | null;
  readonly tieHead?: string;
}

/** By id, of the rows of a board in order that have intervals. */
export function standingsOf(rows: readonly StandingRow[]): ReadonlyMap<string, Standing> {
  const standings = new Map<string, Standing>();
  for (const { model, rankLow, rankHigh, first, tieHead } of rows) {
    if (rankLow === null || rankHigh === null) continue;
    standings.set(model.id, { rankLow, rankHigh, first, group: tieHead ?? model.id });
  }
  return standings;
}

/** Where a row stands in the bracket that it shares with its neighbours. */
export type Bracket = 'first' | 'middle' | 'last';

/** Undefined where neither neighbour is of its group. */
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

/** How many models the first group has. */
export function firstGroupSize(standings: ReadonlyMap<string, Standing>): number {
  const groups = Array.from(standings.values(), ({ group }) => group);
  return groups.filter((group) => group === groups[0]).length;
}
