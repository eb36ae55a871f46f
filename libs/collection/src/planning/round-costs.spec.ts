import { expect, it } from '@jest/globals';
import { roundCost } from './round-costs.service.js';

const PAID = { currency: 'USD', paid: 12, sessions: 3, examples: 24, pending: 2, validated: 16, validatedFooling: 8 };

it('divides the pay by examples, validated examples and validated model errors', () => {
  expect(roundCost(PAID)).toEqual({ ...PAID, perExample: 0.5, perValidated: 0.75, perValidatedFooling: 1.5 });
});

it('has no cost of examples that do not exist', () => {
  const none = { ...PAID, examples: 0, validated: 0, validatedFooling: 0 };
  expect(roundCost(none)).toEqual({ ...none, perExample: null, perValidated: null, perValidatedFooling: null });
});
