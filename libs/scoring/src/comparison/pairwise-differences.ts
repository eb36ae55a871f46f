import type { Clusters } from '../estimate.js';
import { clusterStandardError, mean } from '../intervals/cluster-standard-error.js';
import { everyRow } from '../recorded/recorded-metric.js';
import { groupsOf, resampledValues } from '../resampling/resampled-values.js';
import { inTurns, type Work } from '../resampling/work.js';
import { compareResamples, type DrawnFigure } from './compare-resamples.js';
import type { JointAnswers } from './joint-answers.js';

/** The difference of two models, without a test. Aggregates over datasets are computed from it. */
export interface PairwiseDifference {
  /** The value of the first model minus that of the second. */
  readonly value: number;
  /** Null for fewer than two clusters. */
  readonly standardError: number | null;
}

/**
 * Returns the difference of each pair of models in one metric, in the order (0,1), (0,2), …, (1,2),
 * …; null if the metric is undefined for either model. The standard error is that of the paired
 * differences by cluster; for a set-level metric it comes from joint resamples.
 *
 * @param seed seeds the draws
 * @param turn awaited after each step of some milliseconds, so that other work can run
 */
export function pairwiseDifferences(
  answers: JointAnswers,
  metric: string,
  seed: string,
  turn: () => Promise<unknown>,
): Promise<readonly (PairwiseDifference | null)[]> {
  return inTurns(differences(answers, metric, seed), turn);
}

function* differences(
  answers: JointAnswers,
  metric: string,
  seed: string,
): Work<readonly (PairwiseDifference | null)[]> {
  const models = everyRow(answers.models);
  const clusters = answers.clusters(null);
  const scores = Array.from(models, (model) => answers.scoresOf(model).get(metric)?.scores ?? null);
  const drawn = yield* drawnValues(answers, metric, seed);
  const found: (PairwiseDifference | null)[] = [];
  for (const a of models) {
    for (const b of models.subarray(a + 1)) {
      const [one, other] = [scores[a], scores[b]];
      if (one && other) found.push(ofScores(one, other, clusters));
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

function ofScores(a: Float64Array, b: Float64Array, clusters: Clusters | null): PairwiseDifference | null {
  const differences = a.map((score, index) => score - b[index]!);
  const value = mean(differences);
  // finite errors may have sums or squares that are not finite
  if (!Number.isFinite(value)) return null;

  const units = clusters?.count ?? differences.length;
  const standardError = units < 2 ? null : clusterStandardError(differences, clusters, value);
  return { value, standardError: Number.isFinite(standardError) ? standardError : null };
}

function ofDraws(a: DrawnFigure, b: DrawnFigure, units: number): PairwiseDifference {
  if (units < 2) return { value: a.value - b.value, standardError: null };
  const { value, standardError } = compareResamples(a, b).difference;
  return { value, standardError };
}
