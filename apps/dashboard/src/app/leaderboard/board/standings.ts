/** The rank interval of a model, and what the comparisons with the other models leave open. */
export interface Standing {
  readonly rankLow: number;
  readonly rankHigh: number;
  /** True if the interval contains rank 1. False for boards that do not say it. */
  readonly couldBeFirst: boolean;
  /** The positions on the whole board that are tied with it, from 1, as ranges. */
  readonly tied: readonly (readonly [from: number, to: number])[];
  /** True if it shares more errors with a model of another owner than chance explains. */
  readonly isPossibleCopy: boolean;
}

interface StandingRow {
  readonly model: { readonly id: string };
  readonly rankLow: number | null;
  readonly rankHigh: number | null;
  readonly couldBeFirst?: boolean | null;
  readonly tied?: readonly (readonly number[])[];
  readonly possibleCopyOf?: readonly string[];
}

/** Returns the standings by model ID, in the order of the rows. Skips rows without intervals. */
export function standingsOf(rows: readonly StandingRow[]): ReadonlyMap<string, Standing> {
  return new Map(
    rows.flatMap((row): (readonly [string, Standing])[] => {
      const { model, rankLow, rankHigh, couldBeFirst, tied = [], possibleCopyOf } = row;
      if (rankLow === null || rankHigh === null) return [];
      const ranges = tied.map(([from, to]) => [from!, to!] as const);
      const isPossibleCopy = possibleCopyOf !== undefined;
      return [[model.id, { rankLow, rankHigh, couldBeFirst: couldBeFirst ?? false, tied: ranges, isPossibleCopy }]];
    }),
  );
}

/** The number of models that could be first. */
export const candidateCount = (standings: ReadonlyMap<string, Standing>): number =>
  Array.from(standings.values()).filter(({ couldBeFirst }) => couldBeFirst).length;

/** @param place the position on the whole board, from 0; undefined without a rank */
export const isTiedAt = ({ tied }: Standing, place: number | undefined): boolean =>
  place !== undefined && tied.some(([from, to]) => from <= place + 1 && place + 1 <= to);
