import type { CollectionFigures, CollectionRate, ValidatedErrorRate } from '@assay/contracts/annotating';
import { proportionOfClusters } from '@assay/scoring/intervals';
import type { FiguresRow, RateCounts } from './annotation-statistics.repository.js';

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

/** Returns the API view of a group's figures. */
export function figuresOf(row: FiguresRow): CollectionFigures {
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

/** Estimates a rate with its interval. The examples of one annotator are one cluster. */
export function rateOf(counts: RateCounts): CollectionRate {
  const groups = counts.map(([examples, sum]) => ({ examples, sum, times: 1 }));
  const { value = null, low = null, high = null } = proportionOfClusters(groups) ?? {};
  const total = (key: 'examples' | 'sum'): number => groups.reduce((sum, group) => sum + group[key], 0);
  return { numerator: total('sum'), denominator: total('examples'), value, low, high };
}
