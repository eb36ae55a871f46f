import type { User } from '@assay/api-client/angular';
import { describe, expect, it } from '@jest/globals';
import { actionsFor, searchGroups } from './search-hits.js';

const user: User = {
  id: '1',
  username: 'ada',
  email: 'a@b.c',
  emailVerified: true,
  verified: true,
  role: 'user',
  createdAt: '2026-01-01T00:00:00Z',
  hasPassword: true,
};

describe('actionsFor', () => {
  it('offers administration to administrators alone', () => {
    const addresses = (role: User['role']): string[] => actionsFor({ ...user, role }).map(({ address }) => address);
    expect(addresses('administrator')).toContain('/admin/users');
    expect(addresses('user')).not.toContain('/admin/users');
  });

  it('offers nobody what needs an account', () => {
    expect(actionsFor(null).map(({ address }) => address)).toEqual(['/', '/help', '/sign-in']);
  });
});

describe('searchGroups', () => {
  const found = {
    tasks: [{ slug: 'nli', name: 'Inference' }],
    models: [{ id: 'm1', name: 'albert', task: 'nli', owner: 'kim' }],
    people: [{ username: 'kim', displayName: null }],
  };

  it('leads to the page of everything that was found', () => {
    const groups = searchGroups('x', [], found);
    expect(groups.flatMap(({ hits }) => hits.map(({ address }) => address))).toEqual([
      '/tasks/nli',
      '/tasks/nli/models/m1',
      '/users/kim',
    ]);
  });

  it('keeps the actions whose name holds the words, and leaves empty groups out', () => {
    const groups = searchGroups(' HELP ', actionsFor(null), undefined);
    expect(groups.flatMap(({ hits }) => hits.map(({ address }) => address))).toEqual(['/help']);
  });
});
