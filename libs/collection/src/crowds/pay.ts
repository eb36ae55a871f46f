import type { CrowdPay } from '@assay/contracts/rounds';

const HOUR = 3_600_000;
const CENTS = 100;

/**
 * Returns the amount due for `done` of `of` examples: a proportional part of the full amount,
 * rounded up to a cent.
 */
export function dueFor({ amount }: Pick<CrowdPay, 'amount'>, done: number, of: number): number {
  if (done >= of) return amount;
  // 0.1 · 3 is slightly more than 0.3 in floating point: values within rounding error of a cent
  // count as that cent
  return Math.min(amount, Math.ceil(Number(((amount * CENTS * done) / of).toFixed(6))) / CENTS);
}

/**
 * Returns the pay per hour.
 * @param milliseconds the time worked; the result is null if there was none
 */
export const hourlyRate = (paid: number, milliseconds: number): number | null =>
  milliseconds <= 0 ? null : (paid * HOUR) / milliseconds;
