import type { RankedRevision } from './leaderboard-view.js';

/** How a board decides on two models. */
export interface BoardDecision {
  readonly benchmarkVersion: number;
  /** The number of models that the board compares with each other. */
  readonly models: number;
  /** The model with the significantly higher score; null if the two are tied. */
  readonly ahead: 'a' | 'b' | null;
  /** True if the performance alone has a weight. */
  readonly isPerformanceAlone: boolean;
}

/** Returns null unless the board compares both models in one family. */
export function boardDecision(
  { revision, weighed, certainty }: RankedRevision,
  a: string,
  b: string,
): BoardDecision | null {
  if (certainty === null || !('family' in certainty)) return null;
  const { scores, ranking, effective } = weighed;
  const { family } = certainty;
  const { ranks } = family;
  const isCompared = (place: number): boolean => typeof ranks[place]?.rankLow === 'number';
  const [placeOfA, placeOfB] = [a, b].map((id) => ranking.order.indexOf(scores.places.get(id) ?? -1)) as [
    number,
    number,
  ];
  if (!isCompared(placeOfA) || !isCompared(placeOfB)) return null;
  const first = placeOfA < placeOfB ? 'a' : 'b';
  return {
    benchmarkVersion: revision.benchmarkVersion,
    models: ranks.filter((_, place) => isCompared(place)).length,
    ahead: family.isSeparated(placeOfA, placeOfB) ? first : null,
    isPerformanceAlone: Object.entries(effective).every(
      ([name, weight]) => weight === 0 || name === scores.content.performance,
    ),
  };
}
