import { type Estimate, METRICS } from '@assay/contracts/metrics';
import { metricValue, metricWords, shownUnit } from '@assay/contracts/text';

export { count, metricValue, percent, threeDigits } from '@assay/contracts/text';

/**
 * Formats a value and half of its 95% interval, `57.0 ± 1.7`. Without an interval it is the value
 * alone, with the reason or the band of a calibrated model if there is one.
 */
export function estimateText(unit: string, { value, low, high, why, band }: Estimate): string {
  if (low === null || high === null) {
    const note = band ? `calibrated: ${metricValue(unit, band.low)}–${metricValue(unit, band.high)}` : why;
    return note === undefined ? metricValue(unit, value) : `${metricValue(unit, value)} (${note})`;
  }
  return `${metricValue(unit, value)} ± ${metricValue(unit, (high - low) / 2)}`;
}

/**
 * Formats a share as a whole percentage. Shares that would round to 0 or 100 without being exactly
 * 0 or 1 are shown as `<1` and `>99`.
 */
export function sharePercent(share: number): string {
  if (share > 0 && share < 0.005) return '<1';
  return share < 1 && share >= 0.995 ? '>99' : (share * 100).toFixed(0);
}

/** Returns the unit of a metric. */
export const unitOf = (metric: string): string => METRICS[metric]?.unit ?? 'ratio';

/** Returns the display name of a metric with its unit. */
export function metricTitle(name: string, unit: string): string {
  const words = metricWords(name);
  return `${words} ${unit === 'examples/s' ? 'ex/s' : shownUnit(unit)}`;
}

export const directionMark = (direction: 'higher' | 'lower'): string => (direction === 'higher' ? '↑' : '↓');

/** Formats a duration: 45 s, 12 min, 7.5 h. */
export function duration(seconds: number): string {
  if (!Number.isFinite(seconds)) return 'unknown';
  if (seconds < 100) return `${Math.max(0, Math.round(seconds))} s`;
  if (seconds < 6000) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

/** Formats an ISO time to the minute: 2026-05-01 10:20 UTC. */
export const timeText = (time: string): string => `${time.slice(0, 16).replace('T', ' ')} UTC`;
