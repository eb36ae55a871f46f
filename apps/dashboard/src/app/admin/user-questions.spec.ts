import type { ManagedUser } from '@assay/api-client/angular';
import { expect, it } from '@jest/globals';
import { doneInWords, questionOf } from './user-questions.js';

const BOB: ManagedUser = {
  id: '1',
  username: 'bob',
  displayName: null,
  email: 'bob@example.org',
  role: 'user',
  createdAt: '2026-11-01T00:00:00Z',
  lastSeenAt: null,
  blockedAt: null,
  verified: false,
  verifiedAt: null,
  storageLimit: null,
  tasks: 0,
  models: 0,
};

it('asks each change in words of its own, and marks that which keeps somebody out', () => {
  const changes = [
    ...[{ role: 'administrator' }, { role: 'user' }],
    ...[{ blocked: true }, { blocked: false }, { verified: true }, { verified: false }],
  ] as const;
  const questions = changes.map((change) => questionOf(BOB, change));
  expect(questions.map(({ action }) => action)).toEqual([
    ...['Make administrator', 'Make user', 'Block', 'Unblock'],
    ...['Verify', 'Withdraw verification'],
  ]);
  expect(questions.map(({ tone }) => tone === 'bad')).toEqual([false, false, true, false, false, true]);
  for (const { title } of questions) expect(title).toContain('bob');
});

it('says of the account as it is now what was done', () => {
  expect(doneInWords({ ...BOB, role: 'administrator' }, { role: 'administrator' })).toBe(
    'bob is an administrator now.',
  );
  expect(doneInWords(BOB, { role: 'user' })).toBe('bob is a user now.');
  expect(doneInWords({ ...BOB, blockedAt: '2026-11-02T00:00:00Z' }, { blocked: true })).toBe('bob is blocked.');
  expect(doneInWords(BOB, { blocked: false })).toBe('bob is unblocked.');
  expect(doneInWords({ ...BOB, verifiedAt: '2026-11-02T00:00:00Z' }, { verified: true })).toBe('bob is verified.');
  expect(doneInWords(BOB, { verified: false })).toBe('The verification of bob is withdrawn.');
  expect(doneInWords(BOB, { storageLimit: '20GiB' })).toBe('The storage of bob is set.');
});
