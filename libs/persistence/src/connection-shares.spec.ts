import { QUEUES } from '@assay/contracts/webhooks';
import { describe, expect, it } from '@jest/globals';
import { connectionShares } from './connection-shares.js';

/** The number of connections that a process takes: one for each queue that it adds to, two for each that it works on. */
const taken = (share: { pool: number; queue: number; listener: number }, added: number, worked: number): number =>
  share.pool + share.listener + added * share.queue + worked * (share.queue + 1);

/** The number of connections of a worker outside of its pool. */
const worker = 1 + 3 * QUEUES.length;

describe('connectionShares', () => {
  it.each([
    [60, { api: 1, worker: 1 }],
    [2 * 5 + worker + 2, { api: 2, worker: 1 }],
    [5 + 2 * (worker + 2) + 7, { api: 1, worker: 2 }],
    [32, { api: 1, worker: 1 }],
  ])('keeps %i connections within the budget of %j', (total, processes) => {
    const shares = connectionShares(total, processes);

    const all =
      processes.api * taken(shares.api, 0, 0) + processes.worker * taken(shares.worker, QUEUES.length, QUEUES.length);
    expect(all).toBeLessThanOrEqual(total);
    for (const { pool } of Object.values(shares)) expect(pool).toBeGreaterThanOrEqual(2);
  });

  it('says how many are needed when they are too few', () => {
    const needed = /ASSAY_DB_CONNECTIONS to at least 32\./;
    expect(() => connectionShares(12, { api: 1, worker: 1 })).toThrow(needed);
  });
});
