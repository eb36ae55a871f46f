import type { EvaluationView } from '@assay/contracts/models';
import { mapValues } from '@assay/kernel';
import { roundedCount, roundedEstimate, roundedNumber } from '@assay/scoring/disclosure';

/** The figures of an evaluation that are computed from its answers. */
type Figures = { readonly [key in Figure]?: EvaluationView[key] | null | undefined };
type Figure = 'metrics' | 'slices' | 'sliceSpreads' | 'calibration' | 'perturbed' | 'invalid';

/**
 * Returns an evaluation with all figures rounded that are computed from its answers: scores to the
 * precision that their interval supports, figures without an interval and counts by the number of
 * examples that they are computed from. Costs, states and the examples of slices stay.
 *
 * A board rounds the same scores by the same rule, so every view shows the same numbers.
 * @param examples the number of examples of the dataset; for a perturbed version, that of its original
 */
export function roundedFigures<T extends Figures>(evaluation: T, examples: number): T {
  const { metrics, slices, sliceSpreads, calibration, perturbed, invalid } = evaluation;
  return {
    ...evaluation,
    ...(typeof invalid === 'number' && { invalid: roundedCount(invalid, examples) }),
    ...(metrics && { metrics: mapValues(metrics, (each) => roundedEstimate(each, examples)) }),
    ...(slices && { slices: mapValues(slices, (values) => mapValues(values, roundedSlice)) }),
    ...(sliceSpreads && {
      sliceSpreads: mapValues(sliceSpreads, (spreads) =>
        mapValues(spreads, (spread) => roundedSpread(spread, examples)),
      ),
    }),
    ...(calibration && { calibration: roundedCalibration(calibration, examples) }),
    ...(perturbed && {
      perturbed: {
        ...roundedPerturbation(perturbed),
        transforms: mapValues(perturbed.transforms, roundedPerturbation),
      },
    }),
  };
}

type Slice = EvaluationView['slices'][string][string];
type Spread = NonNullable<EvaluationView['sliceSpreads']>[string][string];
type Calibration = NonNullable<EvaluationView['calibration']>;
type Perturbed = NonNullable<EvaluationView['perturbed']>;

const roundedSlice = (slice: Slice): Slice => ({
  ...slice,
  metrics: mapValues(slice.metrics, (each) => roundedEstimate(each, slice.n)),
});

/** @param n the number of examples of the dataset */
const roundedSpread = ({ matched, ...spread }: Spread, n: number): Spread => ({
  ...spread,
  worst: roundedEstimate(spread.worst, n),
  best: roundedEstimate(spread.best, n),
  gap: roundedEstimate(spread.gap, n),
  chance: { mean: roundedNumber(spread.chance.mean, n), high: roundedNumber(spread.chance.high, n) },
  ...(matched && {
    matched: {
      ...matched,
      values: mapValues(matched.values, (each) => ({ ...each, value: roundedNumber(each.value, each.n) })),
    },
  }),
});

/** @param examples the number of examples of the dataset */
const roundedCalibration = ({ n, ece, brier, log_loss, bins }: Calibration, examples: number): Calibration => ({
  n: roundedCount(n, examples),
  ece: roundedEstimate(ece, n),
  brier: roundedEstimate(brier, n),
  log_loss: roundedEstimate(log_loss, n),
  bins: bins.map((bin) => ({
    ...bin,
    n: roundedCount(bin.n, n),
    confidence: bin.confidence === null ? null : roundedNumber(bin.confidence, bin.n),
    accuracy: bin.accuracy === null ? null : roundedNumber(bin.accuracy, bin.n),
  })),
});

type PerturbedFigures = Pick<
  Perturbed,
  'originals' | 'variants' | 'stayedRight' | 'mean' | 'stability' | 'performance' | 'drop'
>;

const roundedPerturbation = <T extends PerturbedFigures>(figures: T): T => ({
  ...figures,
  stayedRight: figures.stayedRight && roundedEstimate(figures.stayedRight, figures.originals),
  ...(figures.mean && { mean: roundedEstimate(figures.mean, figures.originals) }),
  stability: figures.stability && roundedEstimate(figures.stability, figures.originals),
  performance: figures.performance === null ? null : roundedNumber(figures.performance, figures.variants),
  drop: figures.drop && roundedEstimate(figures.drop, figures.originals),
});
