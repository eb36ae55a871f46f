import { describe, expect, it } from '@jest/globals';
import { contaminationOf } from './boards/contamination.js';

const accepted = { createdAt: new Date('2026-03-01T12:00:00Z') };

describe('contaminationOf', () => {
  it.each([
    ['never public', null, 'clean'],
    ['public later', new Date('2026-03-01T12:00:01Z'), 'clean'],
    ['public in that moment', new Date('2026-03-01T12:00:00Z'), 'exposed'],
    ['public before', new Date('2026-02-28T00:00:00Z'), 'exposed'],
  ] as const)('of data that were %s', (_, publicSince, exposure) => {
    expect(contaminationOf(accepted, { publicSince })).toBe(exposure);
  });
});
