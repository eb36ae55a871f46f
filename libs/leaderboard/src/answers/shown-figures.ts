import type { EvaluationView } from '@assay/contracts/models';
import { mapValues } from '@assay/kernel';
import { FEWEST_EXAMPLES } from './answered-examples.service.js';

type Figures = Pick<EvaluationView, 'slices' | 'sliceSpreads' | 'calibration' | 'perturbed'>;

/**
 * Returns an evaluation as it is shown to users who may not see its single answers: without slices
 * and transforms of fewer than 10 examples, and without the figures of reliability bins that hold
 * fewer than 10. The number of examples in a bin stays.
 */
export function withoutSingleAnswers<T extends Figures>(evaluation: T): T {
  const { slices, sliceSpreads, calibration, perturbed } = evaluation;
  return {
    ...evaluation,
    slices: withoutSmallSlices(slices),
    ...(sliceSpreads && {
      sliceSpreads: mapValues(sliceSpreads, (spreads) => mapValues(spreads, withoutSmallMatches)),
    }),
    ...(calibration && { calibration: { ...calibration, bins: calibration.bins.map(closedBin) } }),
    ...(perturbed && {
      perturbed: {
        ...perturbed,
        transforms: filtered(perturbed.transforms, ({ variants }) => variants >= FEWEST_EXAMPLES),
      },
    }),
  };
}

type Slices = EvaluationView['slices'];
type Spread = NonNullable<EvaluationView['sliceSpreads']>[string][string];
type Bin = NonNullable<EvaluationView['calibration']>['bins'][number];

/** Returns the slices by field and value, without slices of fewer than 10 examples. */
export const withoutSmallSlices = (slices: Slices): Slices =>
  mapValues(slices, (values) => filtered(values, ({ n }) => n >= FEWEST_EXAMPLES));

const withoutSmallMatches = ({ matched, ...spread }: Spread): Spread => ({
  ...spread,
  ...(matched && { matched: { ...matched, values: filtered(matched.values, ({ n }) => n >= FEWEST_EXAMPLES) } }),
});

const closedBin = (bin: Bin): Bin => (bin.n < FEWEST_EXAMPLES ? { ...bin, confidence: null, accuracy: null } : bin);

const filtered = <T>(record: Readonly<Record<string, T>>, matches: (value: T) => boolean): Record<string, T> =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => matches(value)));
