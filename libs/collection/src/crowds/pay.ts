import type { CrowdPay } from '@assay/contracts';

const HOUR = 3_600_000;
const CENTS = 100;

/** What is due for `done` of `of` examples: the whole amount, or its part, rounded up to a cent. */
export function dueFor({ amount }: Pick<CrowdPay, 'amount'>, done: number, of: number): number {
  if (done >= of) return amount;
  // 0.1 · 3 is a little more than 0.3: what is next to a cent is that cent
  return Math.min(amount, Math.ceil(Number(((amount * CENTS * done) / of).toFixed(6))) / CENTS);
}

/** Pay by the hour. @param milliseconds worked; null where there were none */
export const hourlyRate = (paid: number, milliseconds: number): number | null =>
  milliseconds <= 0 ? null : (paid * HOUR) / milliseconds;
