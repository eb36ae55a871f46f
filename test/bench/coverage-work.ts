import { populationCoverage, populations, type PopulationCoverage } from './coverage-populations.js';
import { coverageTrials, type Coverage } from './coverage-trials.js';
import { type FirstPlace, firstPlaceTrials } from './first-place-trials.js';

/** A part of the bench that one thread computes. `place` is the position in the list of its kind. */
export type CoverageWork =
  | { readonly kind: 'trials'; readonly count: number }
  | { readonly kind: 'population' | 'first'; readonly place: number; readonly count: number };

export type CoverageResult =
  | { readonly kind: 'trials'; readonly found: readonly Coverage[] }
  | { readonly kind: 'population'; readonly found: PopulationCoverage }
  | { readonly kind: 'first'; readonly found: FirstPlace };

/** How many times as many datasets are drawn at most if few of them have an interval. */
const MORE = 10;

/** Computes a part of the bench. The result depends on the work alone, not on the thread. */
export function coverageOf(work: CoverageWork): CoverageResult {
  switch (work.kind) {
    case 'trials':
      return { kind: 'trials', found: coverageTrials(work.count, 'coverage') };
    case 'population':
      return {
        kind: 'population',
        found: populationCoverage([populations()[work.place]!], work.count, 'populations', MORE * work.count)[0]!,
      };
    case 'first':
      return { kind: 'first', found: firstPlaceTrials(work.place, work.count, 'coverage') };
  }
}
