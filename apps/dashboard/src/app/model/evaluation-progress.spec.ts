import type { Run } from '@assay/api-client/angular';
import { describe, expect, it } from '@jest/globals';
import { runSentence } from './evaluation-progress.js';

const numbers = { count: (value: number) => value.toLocaleString('en') };
const run = (more: Partial<Run>): Run => ({
  stage: 'evaluation',
  state: 'waiting',
  since: '2026-11-22T12:00:00.000Z',
  attempt: 1,
  ...more,
});

describe('runSentence', () => {
  it.each([
    [0, 'Queued. It starts automatically. It is next in line.'],
    [1, 'Queued. It starts automatically. One run is ahead of it.'],
    [1200, 'Queued. It starts automatically. 1,200 runs are ahead of it.'],
  ])('says that %d are before it', (ahead, sentence) => {
    expect(runSentence('queued', run({ ahead }), numbers)).toBe(sentence);
  });

  it('says that the platform tries again', () => {
    expect(runSentence('running', run({ state: 'running', attempt: 2 }), numbers)).toMatch(
      /^It runs in a sandbox.* It is tried again after a fault of the platform, which costs no quota\.$/,
    );
  });

  it('says how it ended without a run', () => {
    expect(runSentence('scored', undefined, numbers)).toBe('All of it is scored.');
  });
});
