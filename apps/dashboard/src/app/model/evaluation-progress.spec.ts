import type { Run } from '@assay/api-client/angular';
import { describe, expect, it } from '@jest/globals';
import { runSentence } from './evaluation-progress.js';

const run = (more: Partial<Run>): Run => ({
  stage: 'evaluation',
  state: 'waiting',
  since: '2026-11-22T12:00:00.000Z',
  attempt: 1,
  ...more,
});

describe('runSentence', () => {
  it('says that the platform tries again', () => {
    expect(runSentence('running', run({ state: 'running', attempt: 2 }))).toMatch(
      /^It runs in a sandbox.* It is tried again after a fault of the platform, which costs no quota\.$/,
    );
  });

  it('says how it ended without a run', () => {
    expect(runSentence('scored', undefined)).toBe('All of it is scored.');
  });
});
