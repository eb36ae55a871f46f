import type { Run } from '@assay/api-client/fetch';
import { describe, expect, it } from '@jest/globals';
import { runText } from './run-text.js';

const NOW = Date.parse('2026-11-29T12:00:00.000Z');
const at = (seconds: number): string => new Date(NOW + seconds * 1000).toISOString();
const run: Run = { stage: 'evaluation', state: 'waiting', since: at(-60), attempt: 1 };
const waiting = (more: Partial<Run>): Run => ({ ...run, ahead: 2, queued: 46, ...more });

describe('runText', () => {
  it.each<[Partial<Run>, string]>([
    [
      { expectedStart: at(240), expectedEnd: at(720) },
      'Position 3 of 46 in the queue; expected to start in about 4 min and to end in about 12 min.',
    ],
    [{ ahead: 0, expectedStart: at(90) }, 'Next in the queue; expected to start in about 90 s.'],
    [
      { ahead: 0, expectedStart: at(-10), expectedEnd: at(50) },
      'Next in the queue; expected to start at any moment and to end in about 50 s.',
    ],
    [
      { ahead: 0, expectedStart: at(-31), expectedEnd: at(50) },
      'Next in the queue; the expected start has passed: the runs before it take longer than expected, or no evaluator takes it.',
    ],
    [{ noEstimate: 'no_evaluator' }, 'Position 3 of 46 in the queue; no evaluator is online.'],
    [{ noEstimate: 'no_fitting_evaluator' }, 'Position 3 of 46 in the queue; no evaluator that is online can run it.'],
    [
      { noEstimate: 'no_history' },
      'Position 3 of 46 in the queue; the start is not known, because no such run has ended yet.',
    ],
  ])('says where it is and when it starts: %j', (more, text) => {
    expect(runText(waiting(more), NOW)).toBe(text);
  });

  it('names what runs now, as far as it may be seen', () => {
    const running = [
      { model: { id: '1', name: 'tiny-bert', owner: 'ada' }, since: at(-60), expectedEnd: at(180) },
      { since: at(-5) },
    ];
    expect(runText(waiting({ expectedStart: at(180), running }), NOW)).toMatch(
      /\nRunning now: tiny-bert by ada \(about 3 min left\), a model of someone else\.$/,
    );
  });

  it.each<[Partial<Run>, string]>([
    [{ expectedEnd: at(180) }, 'Expected to end in about 3 min.'],
    [{ expectedEnd: at(-1) }, 'It takes longer than expected.'],
    [{ noEstimate: 'no_history' }, ''],
  ])('says when a running one ends: %j', (more, text) => {
    expect(runText({ ...run, state: 'running', ...more }, NOW)).toBe(text);
  });

  it('says nothing about the queue of predictions files', () => {
    expect(runText({ ...run, stage: 'admission', ahead: 2 }, NOW)).toBe('');
  });
});
