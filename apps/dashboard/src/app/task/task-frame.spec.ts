import { describe, expect, it } from '@jest/globals';
import { taskTabs } from './task-frame.js';

const names = (of: Parameters<typeof taskTabs>[0]): string[] => taskTabs(of).map(({ name }) => name);

describe('the tabs of a task', () => {
  it('are all of them for the owner of one that collects', () =>
    expect(names({ collects: true, isOwner: true })).toEqual([
      'Overview',
      'Leaderboard',
      'Rounds',
      'Annotate',
      'Validate',
      'Data',
      'Settings',
    ]));

  it('leave out collection where there is none, and settings for users who can change nothing', () =>
    expect(names({ collects: false, isOwner: false })).toEqual(['Overview', 'Leaderboard', 'Rounds', 'Data']));
});
