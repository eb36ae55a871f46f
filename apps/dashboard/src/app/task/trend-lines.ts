import type { Trend } from '@assay/api-client/angular';

type TrendModel = Trend['rounds'][number]['models'][number];

/**
 * One model over the rounds, in order. A point is undefined if the model was not among the top of
 * the round.
 */
export interface TrendLine {
  readonly id: string;
  readonly name: string;
  readonly points: readonly (TrendModel | undefined)[];
}

/**
 * Returns the models that were among the top of any round, at most `most`. Starts with those of the
 * newest round, in its order.
 */
export function trendLines({ rounds }: Trend, most: number): readonly TrendLine[] {
  const ids = new Map<string, string>();
  for (const round of rounds.toReversed()) for (const { model } of round.models) ids.set(model.id, model.name);
  return [...ids].slice(0, most).map(([id, name]) => ({
    id,
    name,
    points: rounds.map((round) => round.models.find((each) => each.model.id === id)),
  }));
}
