import type { RoundPlan } from '@assay/api-client/fetch';
import { describe, expect, it } from '@jest/globals';
import { planText, roundCostsText } from './plan-text.js';

const NEEDED = { value: 1961, low: 1500, high: 2600 };
const ON_BOARD = { value: 2900, low: null, high: null };
const PLAN: RoundPlan = {
  ...{ task: 'nli', performance: 'accuracy', unit: 'points', detect: 2, revision: 3, ranked: 3, pairsOnBoard: 3 },
  couldBeFirst: 2,
  models: [
    { rank: 1, model: { id: 'a', name: 'Alpha', owner: 'ann' } },
    { rank: 2, model: { id: 'b', name: 'Beta', owner: 'ben' } },
  ],
  pairs: [
    {
      ...{ a: 'a', b: 'b', difference: 1.25, datasets: ['r1-test'], examples: 400, designEffect: 1.5 },
      ...{ needed: NEEDED, neededOnBoard: ON_BOARD, why: null },
    },
  ],
  ...{ needed: NEEDED, neededOnBoard: ON_BOARD, minimumExamples: 100 },
  ...{ writtenPerExample: null, toWrite: null, toWriteOnBoard: null },
};

describe('the plan', () => {
  it('has the size of the round and each pair', () => {
    const text = planText(PLAN);
    expect(text).toContain('Next round of nli: to detect a difference of 2 points in accuracy with 80% power');
    expect(text).toContain('1,961 (1,500–2,600) examples to compare two models');
    expect(text).toContain('2,900 examples to separate ranks, with 3 pairs on the board');
    expect(text).toContain('Could be first: 2. Planned for: 1. Alpha, 2. Beta.');
    expect(text).toMatch(/Alpha +Beta +1\.25 +400 +1\.50 +1,961 \(1,500–2,600\) +2,900/);
    expect(text).not.toContain('To write');
  });

  it('has what people must write, and the pay, where they are known', () => {
    const costs = [{ currency: 'USD', perExample: 0.5, needed: 2941.5, neededOnBoard: 4350 }];
    const text = planText({ ...PLAN, writtenPerExample: 3, toWrite: 5883, toWriteOnBoard: 8700, costs });
    expect(text).toContain('To write: 5,883, or 8,700 for ranks (3.0 per example that ranks, as in closed rounds)');
    expect(text).toContain('Expected pay: 2941.50 USD, or 4350.00 for ranks (0.50 per written example)');
  });

  it('names the fewest examples of a dataset that ranks', () => {
    expect(planText({ ...PLAN, needed: { ...NEEDED, value: 60 } })).toContain('ranks only with 100 examples or more');
  });

  it('says why there is none', () => {
    expect(planText({ ...PLAN, revision: null, pairs: [] })).toContain('There is no board yet.');
    expect(planText({ ...PLAN, pairs: [] })).toContain('fewer than two ranked models');
    const unknown = { difference: null, designEffect: null, needed: null, neededOnBoard: null, why: 'No dataset.' };
    const text = planText({ ...PLAN, needed: null, pairs: [{ ...PLAN.pairs[0]!, ...unknown }] });
    expect(text).toContain('It cannot be estimated yet.');
    expect(text).toContain('No dataset.');
  });
});

describe('the costs of a round', () => {
  it('are shown by currency', () => {
    const cost = {
      ...{ currency: 'USD', paid: 12, sessions: 3, examples: 24, pending: 2, validated: 16, validatedFooling: 0 },
      ...{ perExample: 0.5, perValidated: 0.75, perValidatedFooling: null },
    };
    const text = roundCostsText({ task: 'nli', round: 2, items: [cost] });
    expect(text).toMatch(/USD +12\.00 +24 +16 +0 +0\.50 +0\.75 +·/);
    expect(text).toContain('2 examples are pending, so the last two are upper bounds.');
  });

  it('are none without pay', () => {
    expect(roundCostsText({ task: 'nli', round: 2, items: [] })).toBe('Nobody was paid in round 2 of nli.');
  });
});
