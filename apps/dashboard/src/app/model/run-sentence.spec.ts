import { describe, expect, it } from '@jest/globals';
import type { Run } from '../../client/types.gen.js';
import { runSentence } from './run-sentence.js';

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
    [0, 'It waits for an evaluator, and starts by itself. It is the next.'],
    [1, 'It waits for an evaluator, and starts by itself. One is before it.'],
    [1200, 'It waits for an evaluator, and starts by itself. 1,200 are before it.'],
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
