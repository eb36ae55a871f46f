/** How far repeated measurements of a cost of one model differ. */
export interface MeasuredSpread {
  /** Their standard deviation ÷ the cost. */
  readonly relative: number;
  /** The number of measurements, at least 2. */
  readonly measurements: number;
}

/** A cost of one model. */
export interface MeasuredCost {
  /** The hardware class of its measurements. */
  readonly hardware: string | null;
  /** Null if it was measured once. */
  readonly spread: MeasuredSpread | null;
  /** True if it was measured under contention, or while the model answered. */
  readonly isRough: boolean;
}

/** The measurements that the pooled spread counts as, next to those of a model: two can agree by chance. */
const PRIOR = 2;
/** The spread of a rough measurement ÷ that of others. */
const ROUGH = 2;

/**
 * Returns the standard deviation of the logarithm of each cost; 0 where nothing is known. The spread of a model
 * with several measurements is that of its own measurements, weighted with the pooled spread of its hardware
 * class. A single measurement has the pooled spread.
 *
 * @param costs one cost of all models of a board
 */
export function costSpreads(costs: readonly MeasuredCost[]): Float64Array {
  const pooled = pooledVariances(costs);
  return Float64Array.from(costs, ({ hardware, spread, isRough }) => {
    const ofClass = pooled.get(hardware);
    if (ofClass === undefined) return 0;
    const own = spread ? logVariance(spread) : 0;
    const freedom = spread ? spread.measurements - 1 : 0;
    const variance = (freedom * own + PRIOR * ofClass) / (freedom + PRIOR);
    return Math.sqrt(variance) * (isRough ? ROUGH : 1);
  });
}

/** Returns the mean variance of the logarithms by hardware class, weighted with the degrees of freedom. */
function pooledVariances(costs: readonly MeasuredCost[]): ReadonlyMap<string | null, number> {
  const classes = Map.groupBy(
    costs.flatMap(({ hardware, spread }) => (spread ? [{ hardware, spread }] : [])),
    ({ hardware }) => hardware,
  );
  return new Map(
    Array.from(classes, ([hardware, measured]) => {
      const freedom = measured.reduce((sum, { spread }) => sum + spread.measurements - 1, 0);
      const sum = measured.reduce((all, { spread }) => all + (spread.measurements - 1) * logVariance(spread), 0);
      return [hardware, sum / freedom];
    }),
  );
}

/** The variance of the logarithm of a lognormal variable with this standard deviation ÷ mean. */
const logVariance = ({ relative }: MeasuredSpread): number => Math.log1p(relative * relative);
