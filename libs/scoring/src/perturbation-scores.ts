import type { Estimate } from './estimate.js';
import { RESAMPLES } from './intervals/bootstrap.js';
import { meanEstimate } from './intervals/t-interval.js';
import { proportionEstimate } from './intervals/wilson.js';
import type { TextRules } from './language/text-rules.js';
import { contextOf, type MetricContext, type OutputType } from './metric.js';
import { metricNamed } from './metrics/registry.js';
import {
  rightMeasure,
  type RightMeasure,
  stabilityMeasure,
  type StabilityMeasure,
} from './perturbations/answer-measures.js';
import {
  eachResample,
  MINIMUM_ORIGINALS,
  originalGroup,
  type OriginalAnswer,
  type OriginalGroup,
  type VariantAnswer,
} from './perturbations/original-group.js';
import { meanOverTransforms } from './perturbations/mean-over-transforms.js';
import { perturbedPerformance } from './perturbations/perturbed-performance.js';
import { everyRow } from './recorded/recorded-metric.js';
import { meanStatistic } from './resampling/statistic.js';

export { MINIMUM_ORIGINALS, type OriginalAnswer, type VariantAnswer } from './perturbations/original-group.js';

/** The verdicts on a transform's variants, and whether the variants rank. */
export interface TransformStanding {
  readonly name: string;
  readonly validated: number;
  readonly kept: number;
  readonly ranks: boolean;
}

export interface PerturbationOptions extends TextRules {
  readonly kind: 'fairness' | 'robustness';
  /** The task's performance metric. */
  readonly metric: string;
  readonly output: OutputType;
  /** The labels of a label task, in its order; otherwise empty. */
  readonly labels: readonly string[];
  readonly transforms: readonly TransformStanding[];
  /** Seeds the draws. The same for all models on the same variants. */
  readonly seed: string;
}

export interface PerturbedFigures {
  /** Number of originals that have variants. */
  readonly originals: number;
  readonly variants: number;
  /**
   * The share of originals that are answered right together with all their variants; null for fewer
   * than 30 originals.
   */
  readonly stayedRight: Estimate | null;
  /**
   * The mean over the originals of the share of variants that are answered right together with the
   * original, averaged over the transforms with at least 30 originals; null without any.
   */
  readonly mean: Estimate | null;
  readonly stability: Estimate | null;
  /** Performance on the variants, against their gold; null if undefined. */
  readonly performance: number | null;
  /**
   * Performance on the same originals, each weighted by the number of its variants, minus
   * performance on the variants.
   */
  readonly drop: Estimate | null;
}

export interface PerturbationScores {
  /** `<kind>`, `<kind>_mean` and `<kind>_stability`; those that are undefined are left out. */
  readonly metrics: Readonly<Record<string, Estimate>>;
  /** 1000 resampled values for each of these metrics. */
  readonly resamples: Readonly<Record<string, Float32Array>>;
  readonly result: PerturbedFigures & {
    readonly transforms: Readonly<Record<string, PerturbedFigures & Omit<TransformStanding, 'name'>>>;
  };
}

/**
 * Returns the scores of a model on perturbed versions of its examples.
 *
 * - `<kind>`: the share of the originals with variants that are right together with all their
 *   variants (for a graded metric, the mean of the worst score over an original and its variants)
 * - `<kind>_mean`: for each transform, the mean over the originals with variants of the share of
 *   variants where original and variant are both right (for a graded metric, the mean of the smaller
 *   score); then the mean over the transforms. It does not depend on the number of variants.
 * - `<kind>_stability`: the delta metric of Ma et al. 2021 ("Dynaboard"),
 *   1/|O| Σ_o M(ŷ(variants of o), [ŷ(o)] × k_o)
 *
 * All cover the transforms that rank. Each transform also has its own figures.
 *
 * @throws DomainError `unknown_metric`
 */
export function perturbationScores(
  options: PerturbationOptions,
  originals: readonly OriginalAnswer[],
  variants: readonly VariantAnswer[],
): PerturbationScores {
  const { kind, seed } = options;
  const ranking = new Set(options.transforms.filter(({ ranks }) => ranks).map(({ name }) => name));
  const together = figuresOf(
    options,
    originalGroup(
      originals,
      variants.filter(({ transform }) => ranking.has(transform)),
    ),
    `${seed}/${kind}`,
  );
  const transforms = options.transforms.map(({ name, ...standing }) => {
    const own = variants.filter(({ transform }) => transform === name);
    const { figures } = figuresOf(options, originalGroup(originals, own), `${seed}/${kind}/${name}`);
    return [name, { ...figures, ...standing }] as const;
  });
  const { stayedRight, mean, stability } = together.figures;
  const named = { [kind]: stayedRight, [`${kind}_mean`]: mean, [`${kind}_stability`]: stability };
  const resamples = {
    [kind]: together.stayedRight,
    [`${kind}_mean`]: together.mean,
    [`${kind}_stability`]: together.stability,
  };
  const isDefined = ([name]: readonly [string, unknown]): boolean => named[name] !== null;
  return {
    metrics: Object.fromEntries(Object.entries(named).filter((entry): entry is [string, Estimate] => isDefined(entry))),
    resamples: Object.fromEntries(Object.entries(resamples).filter(isDefined)),
    result: { ...together.figures, transforms: Object.fromEntries(transforms) },
  };
}

interface ResampledFigures {
  readonly figures: PerturbedFigures;
  readonly stayedRight: Float32Array;
  readonly mean: Float32Array;
  readonly stability: Float32Array;
}

function figuresOf(options: PerturbationOptions, group: OriginalGroup, seed: string): ResampledFigures {
  const metric = metricNamed(options.metric, options.output);
  const context = contextOf(options);
  const stayedRight = new Float32Array(RESAMPLES);
  const means = new Float32Array(RESAMPLES);
  const stability = new Float32Array(RESAMPLES);
  const counts = { originals: group.originals.length, variants: group.variants.length };
  if (group.originals.length === 0) {
    const none = { stayedRight: null, mean: null, stability: null, performance: null, drop: null };
    return { figures: { ...counts, ...none }, stayedRight, mean: means, stability };
  }

  const right = rightMeasure(metric, options.output);
  const worst = worstScores(right, group, context);
  const stable = stableScores(stabilityMeasure(metric, options.output), group, context);
  const together = meanOverTransforms(right, group, context);
  const worstMean = meanStatistic(worst, everyRow(worst.length));
  const stableMean = meanStatistic(stable, everyRow(stable.length));
  let draw = 0;
  eachResample(group, seed, (times) => {
    stayedRight[draw] = worstMean(times);
    means[draw] = together ? together.statistic(times) : NaN;
    stability[draw++] = stableMean(times);
  });

  const isDefined = counts.originals >= MINIMUM_ORIGINALS;
  const figures = {
    ...counts,
    stayedRight: isDefined ? shareEstimate(worst, group, right.isBinary ? 'proportion' : 'graded') : null,
    mean: together && shareEstimate(together.scores, group, 'graded'),
    stability: isDefined ? shareEstimate(stable, group, 'graded') : null,
    ...perturbedPerformance(metric, group, context, seed),
  };
  return { figures, stayedRight, mean: means, stability };
}

/** Returns, per original, the lowest score of it and its variants. */
function worstScores(right: RightMeasure, group: OriginalGroup, context: MetricContext): Float64Array {
  const worst = Float64Array.from(group.originals, (original) => right.score(original, context));
  for (const [index, variant] of group.variants.entries()) {
    const place = group.of[index]!;
    worst[place] = Math.min(worst[place]!, right.score(variant, context));
  }
  return worst;
}

/** Returns, per original, how far the answers to its variants agree with the answer to it. */
function stableScores(measure: StabilityMeasure, group: OriginalGroup, context: MetricContext): Float64Array {
  const answers: (string | null)[][] = group.originals.map(() => []);
  for (const [index, { predicted }] of group.variants.entries()) answers[group.of[index]!]!.push(predicted);
  return Float64Array.from(group.originals, ({ predicted }, place) => measure(predicted, answers[place]!, context));
}

const shareEstimate = (scores: Float64Array, { clusters }: OriginalGroup, kind: 'proportion' | 'graded'): Estimate =>
  kind === 'proportion' ? proportionEstimate(scores, clusters) : meanEstimate(scores, clusters, [0, 1]);
