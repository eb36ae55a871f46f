import { twoSidedNormal } from './intervals/normal.js';
import { LargestDeviation, type Opponent } from './largest-deviation.js';
import type { PairedDraws } from './paired-draws.js';

/**
 * Chance of a wrong "surely better", and as much again of a wrong "surely worse". To miss a rank takes one of them and that the rank leaves no
 * room on that side, as only one side does of what is close by: so each may have 5%. In trials with 40 clusters the interval holds the true
 * rank 95% of the time or more, whatever the rank and however close the models.
 */
const ERROR = 0.05;
/** Rounds of stepping down; fewer are wider. */
const ROUNDS = 2;

const { abs } = Math;

/**
 * The 95% interval of a place's rank: it is behind those that are surely better, and before those that are surely worse. Sure is what a
 * simultaneous comparison with all others says: the largest |t| over the joint draws, stepping down (Mogstad, Romano, Shaikh & Wilhelm 2024,
 * "Inference for ranks", Review of Economic Studies 91). The central 95% of the ranks in the draws would not do: noise put on top of noise drags
 * the best towards the middle, and of 20 models close to each other it would hold the true rank of the best half of the time.
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

  /** Those whose order with the place is not sure. Two that move as one and are equal share a rank: that is sure. */
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

  /** Who is that far away by the largest error that the difference may have needs no pairing. */
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

  /** Takes out whom the largest |t| of those still open does not reach in 90% of the draws; without them it is smaller, so again. */
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

/** z with P(|Z| > z) = `error`, by bisection. */
function criticalZ(error: number): number {
  const known = criticals.get(error);
  if (known !== undefined) return known;

  let low = 0;
  let high = 40;
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (twoSidedNormal(middle) > error) low = middle;
    else high = middle;
  }
  criticals.set(error, high);
  return high;
}
