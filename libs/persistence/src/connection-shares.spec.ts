import { describe, expect, it } from '@jest/globals';
import { connectionShares } from './connection-shares.js';

/** An evaluator adds to all four queues and works on them, and a worker listens besides; the API touches none. */
const taken = (share: { pool: number; queue: number; listener: number }, queues: number): number =>
  share.pool + share.listener + queues * share.queue + queues * (share.queue + 1);

describe('connectionShares', () => {
  it.each([
    [60, 1, 1],
    [70, 2, 4],
    [130, 1, 8],
    [20, 1, 1],
  ])('keeps %i connections within the budget for %i API and %i evaluator processes', (total, api, evaluator) => {
    const shares = connectionShares(total, { api, evaluator });

    expect(api * taken(shares.api, 0) + evaluator * taken(shares.evaluator, 4)).toBeLessThanOrEqual(total);
    expect(shares.api.pool).toBeGreaterThanOrEqual(2);
    expect(shares.evaluator.pool).toBeGreaterThanOrEqual(2);
  });

  it('says how many are needed when they are too few', () => {
    expect(() => connectionShares(12, { api: 1, evaluator: 1 })).toThrow(/they need 20 /);
  });
});
