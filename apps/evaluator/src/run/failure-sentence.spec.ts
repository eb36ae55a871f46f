import { describe, expect, it } from '@jest/globals';
import { disclosedFailure, duration, faultFailure, tooSlow, type Place } from './failure-sentence.js';

const amid: Place = { phase: 'dataset', done: 1204, total: 3198 };

describe('faultFailure', () => {
  it.each([
    [{ kind: 'exited', code: 9 }, 'model_exited', 'After 1,204 of 3,198 examples, it exited with code 9.'],
    [
      { kind: 'exited', code: 139, signal: 'SIGSEGV' },
      'model_exited',
      'After 1,204 of 3,198 examples, it exited with code 139 (SIGSEGV).',
    ],
    [
      { kind: 'exceeded', limit: 'memory', amount: 4 * 2 ** 30 },
      'out_of_memory',
      'After 1,204 of 3,198 examples, it used up all 4 GiB of memory and was killed.',
    ],
    [
      { kind: 'exceeded', limit: 'time', amount: 60_000 },
      'request_timeout',
      'After 1,204 of 3,198 examples, a request was not answered within 60 s.',
    ],
    [{ kind: 'redirected', status: 307 }, 'redirected', /redirect 307\.$/],
    [{ kind: 'encoded', encoding: 'gzip' }, 'response_encoded', /"gzip"\.$/],
    [{ kind: 'never-ready', seconds: 120, why: 'GET /ping answered 503' }, 'never_ready', /within 120 s: GET \/ping/],
  ] as const)('tells %j with its numbers', (fault, code, sentence) => {
    const failure = faultFailure(fault, amid, 'full');

    expect(failure).toMatchObject({ code, fault: 'model' });
    if (typeof sentence === 'string') expect(failure.message).toBe(sentence);
    else expect(failure.message).toMatch(sentence);
  });

  it('repeats what a model answered only where all may be disclosed', () => {
    const fault = { kind: 'status', status: 500, body: 'secret input' } as const;

    expect(faultFailure(fault, amid, 'full').message).toContain('secret input');
    expect(faultFailure(fault, amid, 'figures').message).not.toContain('secret input');

    const encoded = { kind: 'encoded', encoding: 'secret input' } as const;
    expect(faultFailure(encoded, amid, 'full').message).toContain('secret input');
    expect(faultFailure(encoded, amid, 'figures').message).not.toContain('secret input');
  });
});

describe('disclosedFailure', () => {
  const exited = (code: number, done: number) =>
    faultFailure({ kind: 'exited', code }, { phase: 'dataset', done, total: 20 }, 'full');

  it('is whole where the sandbox was given readable data', () => {
    expect(disclosedFailure(exited(3, 7), 'readable')).toEqual(exited(3, 7));
  });

  it('is the same whatever the model did with hidden data, but for its code', () => {
    const one = disclosedFailure(exited(3, 7), 'hidden');
    expect(disclosedFailure(exited(200, 11), 'hidden')).toEqual(one);
    expect(one).toMatchObject({ code: 'model_exited', fault: 'model' });
    expect(one.message).not.toMatch(/\d/);
  });
});

describe('tooSlow', () => {
  it('says the rate, what it needs and what is allowed', () => {
    expect(tooSlow(1.1, 7 * 3600, 3600).message).toBe('At 1.1 examples/s, the evaluation needs 7 h. The limit is 1 h.');
  });
});

describe('duration', () => {
  it.each([
    [0.2, '1 s'],
    [45, '45 s'],
    [150, '2.5 min'],
    [3600, '1 h'],
    [25_200, '7 h'],
    [200_000, '56 h'],
  ])('says %d seconds as %s', (seconds, text) => {
    expect(duration(seconds)).toBe(text);
  });
});
