import type { Run } from '@assay/api-client/angular';
import { describe, expect, it } from '@jest/globals';
import { runEstimate, runningNow } from './run-words.js';

const NOW = Date.parse('2026-11-29T12:00:00.000Z');
const at = (seconds: number): string => new Date(NOW + seconds * 1000).toISOString();
const numbers = {
  count: (value: number) => value.toLocaleString('en'),
  duration: (milliseconds: number) => `${Math.round(milliseconds / 60_000)} min`,
};
const run: Run = { stage: 'evaluation', state: 'waiting', since: at(-60), attempt: 1 };
const waiting = (more: Partial<Run>): Run => ({ ...run, ahead: 2, queued: 46, ...more });

describe('runEstimate', () => {
  it.each<[Partial<Run>, string]>([
    [
      { ahead: 1200, queued: 2000, expectedStart: at(240), expectedEnd: at(720) },
      'Position 1,201 of 2,000 in the queue. Expected to start in about 4 min. Expected to end in about 12 min.',
    ],
    [{ ahead: 0, expectedStart: at(-10) }, 'Next in the queue. Expected to start at any moment.'],
    [
      { ahead: 0, expectedStart: at(-31), expectedEnd: at(60) },
      'Next in the queue. The expected start has passed: the runs before it take longer than expected, or no evaluator takes it.',
    ],
    [{ noEstimate: 'no_evaluator' }, 'Position 3 of 46 in the queue. No evaluator is online.'],
    [{ noEstimate: 'no_fitting_evaluator' }, 'Position 3 of 46 in the queue. No evaluator that is online can run it.'],
    [
      { noEstimate: 'no_history' },
      'Position 3 of 46 in the queue. The start is not known, because no such run has ended yet.',
    ],
    [{ state: 'running', expectedEnd: at(180) }, 'Expected to end in about 3 min.'],
    [{ state: 'running', expectedEnd: at(-1) }, 'It takes longer than expected.'],
    [{ state: 'running', noEstimate: 'no_history' }, ''],
  ])('describes %j', (more, words) => {
    expect(runEstimate(waiting(more), NOW, numbers)).toBe(words);
  });

  it('gives only the position of a predictions file', () => {
    expect(runEstimate({ ...run, ahead: 2 }, NOW, numbers)).toBe('Position 3 in the queue.');
  });
});

describe('runningNow', () => {
  it('names the models that may be seen, and counts the others', () => {
    const model = { id: '1', name: 'tiny-bert', owner: 'ada' };
    const running = [{ model, since: at(-60), expectedEnd: at(180) }, { model, since: at(0) }, { since: at(-5) }];
    expect(runningNow(waiting({ running }), NOW, numbers)).toBe(
      'Running now: tiny-bert by ada (about 3 min left), tiny-bert by ada, a model of someone else.',
    );
    expect(runningNow(waiting({ running: [] }), NOW, numbers)).toBe('');
  });
});
