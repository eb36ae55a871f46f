import { remembered } from '@assay/kernel';
import { bisected, twoSidedNormal } from '../intervals/normal.js';
import { LargestDeviation, type Opponent } from './largest-deviation.js';
import type { PairedDraws } from './paired-draws.js';

/**
 * The probability of a wrong "significantly better", and of a wrong "significantly worse". An
 * interval misses the true rank only if one of them happens and the rank leaves no room on that
 * side. For close models only one side leaves none, so each error may have 5%. In simulations with
 * 40 clusters the interval contains the true rank at least 95% of the time, for every rank and
 * however close the models.
 */
const ERROR = 0.05;
/** The number of step-down rounds. Fewer rounds give wider intervals. */
const ROUNDS = 2;

const { abs } = Math;

/**
 * Computes the 95% interval of a place's rank: it is behind all models that are significantly
 * better and ahead of all that are significantly worse. Significance comes from a simultaneous
 * comparison with all other models: the largest |t| over the joint draws, stepping down (Mogstad,
 * Romano, Shaikh & Wilhelm 2024, "Inference for ranks", Review of Economic Studies 91). The central
 * 95% of the ranks in the draws would not do. They add noise to noise, which pulls the best model
 * towards the middle: among 20 close models, such an interval would contain the true rank of the
 * best only half of the time.
 */
export class RankBounds {
  private readonly deviation: LargestDeviation;

  constructor(private readonly draws: PairedDraws) {
    this.deviation = new LargestDeviation(draws);
  }

  of(place: number): { readonly rankLow: number; readonly rankHigh: number } {
    const { scores } = this.draws;
    const unsure = this.unsure(place);
    const isUnsure = new Set(unsure.map(({ other }) => other));
    let better = 0;
    let notWorse = 0;
    for (let other = 0; other < scores.length; other++) {
      const isAbove = other !== place && scores[other]! > scores[place]!;
      if (isAbove && !isUnsure.has(other)) better++;
      if (isAbove || isUnsure.has(other)) notWorse++;
    }
    return { rankLow: 1 + better, rankHigh: 1 + notWorse };
  }

  /**
   * Returns the opponents whose order relative to the place is not significant. Two places that
   * move as one and are equal share a rank, which is certain.
   */
  private unsure(place: number): readonly Opponent[] {
    const count = this.draws.scores.length;
    const bonferroni = criticalZ((2 * ERROR) / Math.max(1, count - 1));
    const close: number[] = [];
    for (let other = 0; other < count; other++) {
      if (other !== place && !this.isFar(place, other, bonferroni)) close.push(other);
    }
    const open = close.map((other) => this.opponentOf(place, other)).filter(({ t }) => t <= bonferroni);
    return this.stepDown(place, open);
  }

  /**
   * Returns whether the difference is significant even with its largest possible error, so that no
   * pairing is needed.
   */
  private isFar(place: number, other: number, critical: number): boolean {
    return this.differenceTo(place, other) > critical * this.draws.largestError(place, other);
  }

  private opponentOf(place: number, other: number): Opponent {
    const error = this.draws.differenceError(place, other);
    return { other, error, t: error === 0 ? Infinity : this.differenceTo(place, other) / error };
  }

  private differenceTo(place: number, other: number): number {
    return abs(this.draws.scores[place]! - this.draws.scores[other]!);
  }

  /**
   * Repeatedly removes the opponents whose t exceeds the 90% quantile of the largest |t| of those
   * that remain. Each removal lowers the quantile.
   */
  private stepDown(place: number, opponents: readonly Opponent[]): readonly Opponent[] {
    let open: readonly Opponent[] = opponents.toSorted((a, b) => a.t - b.t);
    for (let round = 0; round < ROUNDS && open.length > 0; round++) {
      const critical = this.deviation.quantile(place, open, 1 - 2 * ERROR);
      const left = open.filter(({ t }) => t <= critical);
      if (left.length === open.length) return open;
      open = left;
    }
    return open;
  }
}

const criticals = new Map<number, number>();

/** Returns the z with P(|Z| > z) = `error`, by bisection. */
function criticalZ(error: number): number {
  return remembered(criticals, error, () => bisected([0, 40], twoSidedNormal, error)[1]);
}
