import type { EvaluatorList, QueueStates } from '@assay/api-client/angular';
import { describe, expect, it } from '@jest/globals';
import { evaluatorsInWords, queuesInWords, sandboxesInWords } from './operation-in-words.js';

type Runs = QueueStates['runs'][number];

const queues = (evaluation: Partial<Runs>, admission: Partial<Runs> = {}): QueueStates => {
  const none = { queued: 0, leased: 0, failedInDay: 0, platformFailedInDay: 0, oldestQueuedSeconds: null };
  const runs: Runs[] = [
    { ...none, stage: 'admission', ...admission },
    { ...none, stage: 'evaluation', ...evaluation },
  ];
  return { queues: [], events: { waiting: 0, oldestSeconds: null }, runs };
};

describe('what is said of the queues', () => {
  it('is that nothing is to be done, while work continues and fails by its own fault', () => {
    const states = queues({ queued: 4, leased: 2, failedInDay: 3, oldestQueuedSeconds: 600 });
    expect(queuesInWords(states).tone).toBe('good');
  });

  it('is what waits too long, and whether anybody works at all', () => {
    const waits = { queued: 4, oldestQueuedSeconds: 601 };
    expect(queuesInWords(queues(waits)).text).toContain('no evaluator works on any');
    expect(queuesInWords(queues(waits, { leased: 1 })).text).toContain('more to do than they can');
    expect(queuesInWords(queues({ queued: 1, oldestQueuedSeconds: 5 })).tone).toBe('good');
  });

  it('is that events wait, because nothing starts until they reach the queues', () => {
    const waiting = (oldestSeconds: number): QueueStates => ({
      ...queues({}),
      events: { waiting: 179, oldestSeconds },
    });
    expect(queuesInWords(waiting(61))).toMatchObject({
      tone: 'caution',
      text: expect.stringContaining('a worker runs'),
    });
    expect(queuesInWords(waiting(59)).tone).toBe('good');
  });

  it('counts what failed by the platform’s fault, of both stages', () => {
    expect(queuesInWords(queues({ platformFailedInDay: 2 }, { platformFailedInDay: 1 }))).toMatchObject({
      tone: 'caution',
      text: expect.stringMatching(/^3 runs failed/),
    });
    expect(queuesInWords(queues({ platformFailedInDay: 1 })).text).toMatch(/^One run failed/);
  });

  it('stays the same while runs only go on waiting', () => {
    const at = (seconds: number) => queuesInWords(queues({ queued: 4, leased: 1, oldestQueuedSeconds: seconds }));
    expect(at(1200)).toEqual(at(1210));
  });
});

describe('what is said of evaluators', () => {
  const list = (live: Readonly<Record<string, boolean>>): EvaluatorList => ({
    items: Object.entries(live).map(([name, isLive]) => ({
      name,
      isLive,
      seenAt: null,
      leases: 0,
      work: [],
    })),
    differingImages: [],
  });

  it('is how many are there, and who is silent', () => {
    expect(evaluatorsInWords(list({}))).toMatchObject({
      tone: 'caution',
      text: expect.stringContaining('No evaluator'),
    });
    expect(evaluatorsInWords(list({ east: true }))).toEqual({ tone: 'good', text: 'One evaluator is there.' });
    expect(evaluatorsInWords(list({ east: true, west: true })).text).toBe('2 evaluators are there.');
    const one = evaluatorsInWords(list({ east: true, west: false }));
    expect(one.tone).toBe('caution');
    expect(one.text).toMatch(/^One evaluator is there\. .*: west\./);
  });
});

it('says how many models run', () => {
  expect(sandboxesInWords({ items: [] })).toBe('No model runs now.');
});
