import { failure, type FailureCode } from '@assay/contracts/models';
import { describe, expect, it } from '@jest/globals';
import { expectQuota, isAttempt, quotaAt, type Submission } from './quota.js';

const QUOTA = { perDay: 2, total: 4 };
const at = (time: string, code?: FailureCode): Submission => ({
  acceptedAt: new Date(time),
  failure: code ? failure(code, 'It did.') : null,
});
const usedAt = (now: string, submissions: readonly Submission[]) => quotaAt(new Date(now), QUOTA, submissions);

describe('the quota', () => {
  it('of a day begins at midnight UTC, and says when', () => {
    const submissions = [at('2026-03-01T00:00:00.000Z'), at('2026-03-01T23:59:59.999Z')];

    expect(usedAt('2026-03-01T23:59:59.999Z', submissions)).toEqual({
      ...QUOTA,
      usedToday: 2,
      used: 2,
      resetsAt: '2026-03-02T00:00:00.000Z',
    });
    expect(usedAt('2026-03-02T00:00:00.000Z', submissions)).toMatchObject({
      usedToday: 0,
      used: 2,
      resetsAt: '2026-03-03T00:00:00.000Z',
    });
  });

  it('refuses with the time of the reset, and for good when all is used', () => {
    const today = usedAt('2026-03-01T12:00:00Z', [at('2026-03-01T01:00:00Z'), at('2026-03-01T02:00:00Z')]);
    expect(() => expectQuota('nli', today, new Date('2026-03-01T12:00:00Z'))).toThrow(
      expect.objectContaining({
        kind: 'quota',
        code: 'quota_day',
        message: expect.stringContaining('2026-03-02T00:00:00.000Z'),
        seconds: 12 * 3600,
      }),
    );
    expect(() => expectQuota('nli', { ...today, usedToday: 1 }, new Date())).not.toThrow();
    expect(() => expectQuota('nli', { ...today, used: 4, usedToday: 0 }, new Date())).toThrow(
      expect.objectContaining({ kind: 'conflict', code: 'quota_total' }),
    );
  });

  it.each([
    ['model_exited', true],
    ['too_slow', true],
    ['unknown_label', true],
    ['image_refused', false],
    ['bundle_incomplete', false],
    ['predictions_incomplete', false],
    ['predictions_malformed', false],
    ['platform_failed', false],
    ['sandbox_unavailable', false],
    ['deadline_passed', false],
    ['dataset_unavailable', false],
  ] as const)('after %s is used: %s', (code, isUsed) => {
    expect(isAttempt(at('2026-03-01T00:00:00Z', code))).toBe(isUsed);
    expect(usedAt('2026-03-01T00:00:00Z', [at('2026-03-01T00:00:00Z', code)]).usedToday).toBe(isUsed ? 1 : 0);
  });
});
