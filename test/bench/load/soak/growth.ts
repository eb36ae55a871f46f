import { studentT95 } from '../../../../libs/scoring/src/intervals/student-t.js';
import type { SoakSample } from './watch.js';

export interface Trend {
  /** A minute. */
  readonly slope: number;
  /** Of 95%. */
  readonly low: number;
  readonly high: number;
  readonly first: number;
  readonly last: number;
}

/**
 * The least squares line through the least of each minute, from a third of the time on: what is collected as garbage comes and goes, and what was
 * never used before is there once.
 */
export function trendOf(samples: readonly SoakSample[], of: (sample: SoakSample) => number | null): Trend {
  const end = samples.at(-1)!.seconds;
  const length = Math.min(60, end / 12);
  const floors = new Map<number, number>();
  for (const sample of samples) {
    // counted from the end, so that the last is a whole one
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
 * Whether growth of more than `most` a minute is excluded: the whole 95% interval lies at or below it (one side of an equivalence test, at 2.5%;
 * Schuirmann 1987). What was looked at too briefly, or varies too much to say so, is not flat.
 */
export const isFlat = ({ high }: Trend, most: number): boolean => high <= most;
