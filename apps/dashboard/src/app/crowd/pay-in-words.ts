import type { CrowdOffer } from '@assay/api-client/angular';

/** Formats an amount with its currency: 2.00 USD. */
export const money = (amount: number, currency: string): string => `${amount.toFixed(2)} ${currency}`;

/** Returns the pay and the time of a job in a sentence. */
export function payInWords({ pay, examples, hourlyRate }: Pick<CrowdOffer, 'pay' | 'examples' | 'hourlyRate'>): string {
  const [amount, rate] = [money(pay.amount, pay.currency), money(hourlyRate, pay.currency)];
  return examples === 1
    ? $localize`${amount}:amount: for 1 example, about ${pay.minutes}:minutes: minutes (${rate}:rate: an hour).`
    : $localize`${amount}:amount: for ${examples}:examples: examples, about ${pay.minutes}:minutes: minutes (${rate}:rate: an hour).`;
}
