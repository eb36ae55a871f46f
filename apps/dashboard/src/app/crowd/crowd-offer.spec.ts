import { describe, expect, it } from '@jest/globals';
import { payInWords } from './crowd-offer.js';

const offer = (examples: number) => ({
  pay: { amount: 2, currency: 'USD', minutes: 10 },
  examples,
  hourlyRate: 12,
});

describe('the pay in words', () => {
  it('is for all examples of the job', () => {
    expect(payInWords(offer(2))).toBe('2.00 USD for 2 examples, about 10 minutes (12.00 USD an hour).');
  });

  it('is for one example', () => {
    expect(payInWords(offer(1))).toBe('2.00 USD for 1 example, about 10 minutes (12.00 USD an hour).');
  });
});
