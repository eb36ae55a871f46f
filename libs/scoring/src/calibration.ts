import type { Estimate } from './estimate.js';
import type { MetricContext, MetricExample } from './metric.js';
import { CALIBRATION_BINS, ece } from './metrics/ece.js';

/** How reliable the probabilities of a model are. */
export interface Reliability {
  /** Number of examples. */
  readonly n: number;
  readonly ece: Estimate;
  readonly brier: Estimate;
  readonly log_loss: Estimate;
  readonly bins: ReliabilityBin[];
}

export interface ReliabilityBin {
  readonly low: number;
  readonly high: number;
  readonly n: number;
  /** Mean probability of the answers; null in an empty bin. */
  readonly confidence: number | null;
  /** Share of correct answers; null in an empty bin. */
  readonly accuracy: number | null;
}

/** The registered metrics that judge probabilities. */
export const CALIBRATION_METRICS = ['ece', 'brier', 'log_loss'] as const;

/**
 * The bins of the reliability diagram (Guo et al. 2017). Each bin of the probability of the
 * given label has the number of its examples, their mean confidence and the share of correct
 * answers.
 */
export class ReliabilityBins {
  private readonly contribution = new Float64Array(3 * CALIBRATION_BINS);
  private readonly sums = new Float64Array(3 * CALIBRATION_BINS);

  constructor(private readonly context: MetricContext) {}

  add(example: MetricExample): void {
    this.contribution.fill(0);
    ece.contribute(example, this.contribution, 0, this.context);
    for (let sum = 0; sum < this.sums.length; sum++) this.sums[sum]! += this.contribution[sum]!;
  }

  read(): ReliabilityBin[] {
    return Array.from({ length: CALIBRATION_BINS }, (_, bin) => {
      const [n, confidence, right] = this.sums.subarray(3 * bin) as unknown as [number, number, number];
      return {
        low: bin / CALIBRATION_BINS,
        high: (bin + 1) / CALIBRATION_BINS,
        n,
        confidence: n === 0 ? null : confidence / n,
        accuracy: n === 0 ? null : right / n,
      };
    });
  }
}
