import type { StorageReport } from '@assay/api-client/angular';
import { expect, it } from '@jest/globals';
import { storageShares } from './storage-page.js';

const report = (free: number, ...bytes: readonly number[]): StorageReport => ({
  at: '2026-11-01T00:00:00Z',
  blobs: bytes.map((each) => ({ kind: 'artifacts', count: 1, bytes: each })),
  disk: { free, total: 1000 },
  database: 10,
});

it('parts the disk into blobs, the rest, and what is free', () => {
  expect(storageShares(report(600, 100, 50))).toEqual({ blobs: 150, rest: 250, isNearlyFull: false });
});

it('warns where less than a tenth is free', () => {
  expect([report(99), report(100)].map((each) => storageShares(each).isNearlyFull)).toEqual([true, false]);
});

it('leaves nothing below zero where blobs were counted a minute before the disk', () => {
  expect(storageShares(report(900, 150)).rest).toBe(0);
});
