import { bareEstimate } from '../estimate.js';
import { everyRow } from '../recorded/recorded-metric.js';
import { groupsOf, resampledValues } from '../resampling/resampled-values.js';
import { inTurns, type Work } from '../resampling/work.js';
import { FEWEST_CLUSTERS } from '../intervals/bell-mccaffrey.js';
import { compareResamples, type DrawnFigure } from './compare-resamples.js';
import { compareScores } from './compare-scores.js';
import type { TestedDifference } from './family.js';
import type { JointAnswers } from './joint-answers.js';

/**
 * Returns the difference of each pair of models in one metric, in the order (0,1), (0,2), …, (1,2),
 * …; null if the metric is undefined for either model. A metric that is a mean is compared as
 * `compareAnswers` does; a set-level metric by joint resamples.
 *
 * @param seed seeds the draws
 * @param turn awaited after each step of some milliseconds, so that other work can run
 */
export function pairwiseDifferences(
  answers: JointAnswers,
  metric: string,
  seed: string,
  turn: () => Promise<unknown>,
): Promise<readonly (TestedDifference | null)[]> {
  return inTurns(differences(answers, metric, seed), turn);
}

function* differences(answers: JointAnswers, metric: string, seed: string): Work<readonly (TestedDifference | null)[]> {
  const models = everyRow(answers.models);
  const clusters = answers.clusters(null);
  const scores = Array.from(models, (model) => answers.scoresOf(model).get(metric) ?? null);
  const drawn = yield* drawnValues(answers, metric, seed);
  const found: (TestedDifference | null)[] = [];
  for (const a of models) {
    for (const b of models.subarray(a + 1)) {
      const [one, other] = [scores[a], scores[b]];
      if (one && other) found.push(compareScores([one, other], { rows: null, clusters, seed }));
      else found.push(drawn[a] && drawn[b] ? ofDraws(drawn[a], drawn[b], answers.units) : null);
      yield;
    }
  }
  return found;
}

/**
 * Returns the value and resamples by model; null if the metric is undefined or is not a set-level
 * metric.
 */
function* drawnValues(answers: JointAnswers, metric: string, seed: string): Work<readonly (DrawnFigure | null)[]> {
  const rows = everyRow(answers.count);
  const groupOf = groupsOf(answers.clusters(null), answers.count);
  const recorded = Array.from(everyRow(answers.models), (model) => answers.statisticsOf(model).get(metric));
  const defined = recorded.flatMap((each) => each ?? []);
  if (defined.length === 0) return recorded.map(() => null);

  const statistics = defined.map((each) => each.statistic(null, groupOf));
  const resamples = yield* resampledValues(statistics, seed, answers.units);
  const values = new Map(
    defined.map((each, place) => [each, { value: each.reader()(rows), resamples: resamples[place]! }]),
  );
  return recorded.map((each) => {
    const figure = each && values.get(each);
    return figure && Number.isFinite(figure.value) ? figure : null;
  });
}

function ofDraws(a: DrawnFigure, b: DrawnFigure, units: number): TestedDifference {
  return units < FEWEST_CLUSTERS ? { difference: bareEstimate(a.value - b.value), p: null } : compareResamples(a, b);
}
