import { studentT95 } from '../../../../libs/scoring/src/intervals/student-t.js';
import type { SoakSample } from './watch.js';

export interface Trend {
  /** Per minute. */
  readonly slope: number;
  /** The ends of the 95% interval of the slope. */
  readonly low: number;
  readonly high: number;
  readonly first: number;
  readonly last: number;
}

/**
 * Fits a least-squares line to the minimum of each part (one minute, or less in a short soak),
 * after the first third of the time. The minimum removes garbage that is yet to be collected;
 * skipping the start removes memory that is allocated on first use.
 */
export function trendOf(samples: readonly SoakSample[], of: (sample: SoakSample) => number | null): Trend {
  const end = samples.at(-1)!.seconds;
  const length = Math.min(60, end / 12);
  const floors = new Map<number, number>();
  for (const sample of samples) {
    // counted from the end, so that the last part is complete
    const part = -Math.floor((end - sample.seconds) / length);
    const value = of(sample);
    if (sample.seconds > end / 3 && value !== null) floors.set(part, Math.min(floors.get(part) ?? Infinity, value));
  }
  const points = [...floors].map(([part, value]) => ({ x: (part * length) / 60, y: value }));
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [mean(points.map((point) => point.x)), mean(points.map((point) => point.y))];
  const spread = points.reduce((sum, point) => sum + (point.x - x) ** 2, 0);
  const slope = points.reduce((sum, point) => sum + (point.x - x) * (point.y - y), 0) / spread;
  const residual = points.reduce((sum, point) => sum + (point.y - y - slope * (point.x - x)) ** 2, 0);
  const half = studentT95(points.length - 2) * Math.sqrt(residual / (points.length - 2) / spread);
  return { slope, low: slope - half, high: slope + half, first: points[0]!.y, last: points.at(-1)!.y };
}

/**
 * True if growth of more than `most` per minute is excluded: the whole 95% interval lies at or
 * below it (one side of an equivalence test at 2.5%; Schuirmann 1987). A series that is too short
 * or varies too much is not flat.
 */
export const isFlat = ({ high }: Trend, most: number): boolean => high <= most;
