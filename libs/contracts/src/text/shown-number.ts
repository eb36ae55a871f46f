import { findMetric, MEASURES } from '@assay/scoring/metrics';
import { sliceMetric } from '../metrics/metric.js';

/** Formats a ratio as a percentage with one decimal: 57.0. */
export const percent = (ratio: number): string => (ratio * 100).toFixed(1);

/** Formats a whole number with thousands separators: 12,400. */
export const count = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: 0 });

/**
 * Formats a number with three significant digits, without an exponent: 0.0213, 4.21, 118, 12,400.
 */
export function threeDigits(value: number): string {
  if (value === 0) return '0';
  const rounded = Number(value.toPrecision(3));
  if (Math.abs(rounded) >= 100) return count(rounded);
  const decimals = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(rounded))));
  return rounded.toFixed(Math.min(decimals, 6));
}

/**
 * Formats a metric's value in the unit of its column, with the same rounding everywhere: percent
 * for a ratio, three digits for a cost, and milliseconds for CPU seconds per example.
 */
export function metricValue(unit: string, value: number): string {
  if (unit === 'ratio') return percent(value);
  return threeDigits(unit === 's/example' ? 1000 * value : value);
}

/** Returns the unit in which `metricValue` shows values of `unit`. */
export function shownUnit(unit: string): string {
  if (unit === 'ratio') return '%';
  return unit === 's/example' ? 'ms/example' : unit;
}

/** Formats a p-value: two significant digits, and `<0.0001` below that. */
export function pValue(p: number): string {
  if (p < 0.0001) return '<0.0001';
  return p >= 0.0995 ? p.toFixed(2) : Number(p.toPrecision(2)).toString();
}

/**
 * Returns the display name of a metric: `macro F1`, `AUROC`, `latency p50`, `worst:group` (the field
 * is unchanged).
 */
export function metricWords(name: string): string {
  if (sliceMetric(name)) return name;
  const declared = findMetric(name) ?? MEASURES.find((measure) => measure.name === name);
  return declared?.label ?? name.replaceAll('_', ' ');
}
