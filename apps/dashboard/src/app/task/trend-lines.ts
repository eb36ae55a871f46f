import type { Trend } from '@assay/api-client/angular';

/**
 * One model over the rounds, in order. A point is undefined if the model was not among the top of
 * the round.
 */
export interface TrendLine {
  readonly id: string;
  readonly name: string;
  readonly points: readonly (Trend['rounds'][number]['models'][number] | undefined)[];
}

/**
 * Returns the models that were among the top of any round, at most `most`. Starts with those of the
 * newest round, in its order.
 */
export function trendLines({ rounds }: Trend, most: number): readonly TrendLine[] {
  const ids = new Map(
    rounds.toReversed().flatMap(({ models }) => models.map(({ model: { id, name } }) => [id, name] as const)),
  );
  return [...ids].slice(0, most).map(([id, name]) => ({
    id,
    name,
    points: rounds.map((round) => round.models.find((each) => each.model.id === id)),
  }));
}
