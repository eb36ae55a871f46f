import { describe, expect, it } from '@jest/globals';
import { connectionShares } from './connection-shares.js';

/** Both queues of a process are added to; an evaluator works on both, and a worker listens besides. */
const taken = (share: { pool: number; queue: number; listener: number }, workers: number): number =>
  share.pool + share.listener + 2 * share.queue + workers * (share.queue + 1);

describe('connectionShares', () => {
  it.each([
    [60, 1, 1],
    [60, 2, 4],
    [97, 1, 8],
    [16, 1, 1],
  ])('keeps %i connections within the budget for %i API and %i evaluator processes', (total, api, evaluator) => {
    const shares = connectionShares(total, { api, evaluator });

    expect(api * taken(shares.api, 0) + evaluator * taken(shares.evaluator, 2)).toBeLessThanOrEqual(total);
    expect(shares.api.pool).toBeGreaterThanOrEqual(2);
    expect(shares.evaluator.pool).toBeGreaterThanOrEqual(2);
  });

  it('says how many are needed when they are too few', () => {
    expect(() => connectionShares(12, { api: 1, evaluator: 1 })).toThrow(/they need 16 /);
  });
});
