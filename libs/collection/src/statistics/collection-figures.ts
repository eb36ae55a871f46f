import type { CollectionFigures, CollectionRate, ValidatedErrorRate } from '@assay/contracts/annotating';
import { proportionOfClusters, wilson } from '@assay/scoring/intervals';
import type { ClusteredBy, FiguresRow, RateCounts } from './annotation-statistics.repository.js';

const NO_RATE: CollectionRate = { numerator: 0, denominator: 0, value: null, low: null, high: null };
export const NO_VALIDATED_RATE: ValidatedErrorRate = { ...NO_RATE, pending: 0 };
const NO_OUTCOMES = { pending: 0, validated: 0, rejected: 0, flagged: 0, undecided: 0 };

/** The figures of an empty set of annotations. */
export const NO_FIGURES: CollectionFigures = {
  submitted: 0,
  retracted: 0,
  annotators: 0,
  ...NO_OUTCOMES,
  withoutModel: 0,
  unknown: 0,
  mer: NO_RATE,
  vmer: NO_VALIDATED_RATE,
  errorRateAmongValidated: NO_RATE,
  yield: NO_RATE,
  seconds: { n: 0, lowerQuartile: null, median: null, upperQuartile: null },
  editDistance: { n: 0, median: null },
  explained: { numerator: 0, denominator: 0, value: null },
  attested: { examples: 0, ...NO_OUTCOMES, validatedFooling: 0 },
};

/**
 * Returns the API view of a group's figures.
 * @param isOfOne true for the examples of one annotator, whose own rates cluster by context alone
 */
export function figuresOf(row: FiguresRow, isOfOne = false): CollectionFigures {
  const rateOf = isOfOne ? ownRate : crossedRate;
  const { submitted, retracted, annotators, pending, validated, rejected, flagged, undecided } = row;
  const [lowerQuartile = null, median = null, upperQuartile = null] = row.seconds ?? [];
  return {
    ...{ submitted, retracted, annotators, pending, validated, rejected, flagged, undecided },
    withoutModel: row.alone,
    unknown: row.unknown,
    mer: rateOf(row.mer),
    vmer: { ...rateOf(row.vmer), pending: row.faced_pending },
    errorRateAmongValidated: rateOf(row.checked),
    yield: rateOf(row.yield),
    seconds: { n: row.timed, lowerQuartile, median, upperQuartile },
    editDistance: { n: row.edited, median: row.distance },
    explained: {
      numerator: row.explained,
      denominator: submitted,
      value: submitted === 0 ? null : row.explained / submitted,
    },
    attested: { ...row.attested },
  };
}

/** Estimates a rate with its interval. Examples are clustered by annotator and by context. */
function crossedRate(counts: RateCounts): CollectionRate {
  const [annotators, second, both] = [
    clusters(counts, 'annotator'),
    clusters(counts, 'context'),
    clusters(counts, 'both'),
  ];
  return rate(annotators, proportionOfClusters(annotators, { second, both }));
}

/** Estimates a rate of one annotator. */
function ownRate(counts: RateCounts): CollectionRate {
  const contexts = clusters(counts, 'context');
  return rate(contexts, ownShare(contexts));
}

/**
 * Estimates a share of one annotator's examples, which are clustered by context. They are independent
 * if no two have the same context. Null without examples.
 */
export function ownShare(
  contexts: Clusters,
): { readonly value: number; readonly low: number | null; readonly high: number | null } | null {
  const share = proportionOfClusters(contexts);
  if (!share || contexts.some(({ examples }) => examples > 1)) return share;
  const examples = contexts.reduce((sum, { times }) => sum + times, 0);
  return { value: share.value, ...wilson(share.value, examples) };
}

type Clusters = Parameters<typeof proportionOfClusters>[0];

const clusters = (counts: RateCounts, by: ClusteredBy): Clusters =>
  counts.flatMap(([way, examples, sum, times]) => (way === by ? [{ examples, sum, times }] : []));

function rate(groups: Clusters, estimate: ReturnType<typeof ownShare>): CollectionRate {
  const { value = null, low = null, high = null } = estimate ?? {};
  const total = (key: 'examples' | 'sum'): number => groups.reduce((sum, group) => sum + group.times * group[key], 0);
  return { numerator: total('sum'), denominator: total('examples'), value, low, high };
}
