import { QUEUES } from '@assay/contracts/webhooks';
import { describe, expect, it } from '@jest/globals';
import { connectionShares } from './connection-shares.js';

/** An evaluator adds to all queues and works on them, and a worker listens besides; the API touches none. */
const taken = (share: { pool: number; queue: number; listener: number }, queues: number): number =>
  share.pool + share.listener + queues * share.queue + queues * (share.queue + 1);

/** The number of connections of an evaluator outside of its pool. */
const fixed = 1 + 3 * QUEUES.length;

describe('connectionShares', () => {
  it.each([
    [60, 1, 1],
    [2 * 5 + 4 * (fixed + 2), 2, 4],
    [5 + 8 * (fixed + 2) + 7, 1, 8],
    [5 + fixed + 2, 1, 1],
  ])('keeps %i connections within the budget for %i API and %i evaluator processes', (total, api, evaluator) => {
    const shares = connectionShares(total, { api, evaluator });

    expect(api * taken(shares.api, 0) + evaluator * taken(shares.evaluator, QUEUES.length)).toBeLessThanOrEqual(total);
    expect(shares.api.pool).toBeGreaterThanOrEqual(2);
    expect(shares.evaluator.pool).toBeGreaterThanOrEqual(2);
  });

  it('says how many are needed when they are too few', () => {
    const needed = new RegExp(`ASSAY_DB_CONNECTIONS to at least ${5 + fixed + 2}\\.`);
    expect(() => connectionShares(12, { api: 1, evaluator: 1 })).toThrow(needed);
  });
});
