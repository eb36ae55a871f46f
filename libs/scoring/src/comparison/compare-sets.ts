import { clusteredError } from '../intervals/bell-mccaffrey.js';
import { drawingOf, groupsOf } from '../resampling/drawing.js';
import type { Work } from '../resampling/work.js';
import { FLIPS, type Comparison } from './compare-paired.js';
import { statisticsComparison } from './compare-statistic.js';
import type { JointAnswers, Part } from './joint-answers.js';

/**
 * The maximum number of groups for set-level metrics. More clusters are pooled into this many
 * groups, which limits the time of a draw.
 */
const MOST_GROUPS = 500;
/**
 * The approximate number of examples that the swaps of one comparison may read in total. A metric
 * may have to read all of them in every draw.
 */
const SWAPPED_EXAMPLES = 4_000_000;
/** The number of swaps for a slice, and the fewest for all examples. */
const FEWEST_SWAPS = 1_000;

/**
 * Compares two models in the set-level metrics that both define, by name. A metric that is undefined
 * on these examples is left out. Crossed clusters are neither pooled nor swapped.
 *
 * @param seed seeds the draws
 */
export function* compareSets(
  answers: JointAnswers,
  models: readonly [number, number],
  part: Part,
  seed: string,
): Work<ReadonlyMap<string, Comparison>> {
  const clusters = answers.clusters(part.rows);
  const n = part.rows?.length ?? answers.count;
  const crossed = clusters?.crossed ? clusters : null;
  const drawing = crossed ? drawingOf(crossed, n) : drawingOf(null, Math.min(clusters?.count ?? n, MOST_GROUPS));
  const { groups } = drawing;
  const groupOf = crossed ? drawing.groupOf : groupsOf(clusters, n, groups);
  const sets = answers.setsOf(models, part, groupOf, groups);
  if (!sets) return new Map();

  const affordable = Math.min(FLIPS, Math.floor(SWAPPED_EXAMPLES / (2 * n)));
  const swaps = part.slice ? FEWEST_SWAPS : Math.max(FEWEST_SWAPS, affordable);
  const { names, statistic } = sets;
  const found = yield* statisticsComparison({
    metrics: names.length,
    statistics: statistic,
    n,
    drawing,
    freedom: crossed ? clusteredError(new Uint8Array(n), crossed).freedom : null,
    swaps,
    seed,
  });
  return new Map(names.flatMap((name, place) => (found[place] ? [[name, found[place]]] : [])));
}
