import type { Numbers } from '../ui/text/numbers.js';

/** Formats a difference with its sign, such as `+4.7`, `−4.7` or `0.0`. */
export function signedNumber(numbers: Pick<Numbers, 'value'>, unit: string, value: number): string {
  const size = numbers.value(unit, Math.abs(value));
  if (value === 0) return size;
  return value > 0 ? `+${size}` : `−${size}`;
}
