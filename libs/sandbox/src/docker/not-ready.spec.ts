import { describe, expect, it } from '@jest/globals';
import { whyNotReady } from './not-ready.js';

describe('whyNotReady', () => {
  const late = { kind: 'exceeded', limit: 'time', amount: 10_000 } as const;

  it('says that no answer came where there was time for one', () => {
    expect(whyNotReady(late, 10_000, 'nothing listens on its port')).toBe('GET /ping was not answered in time');
  });

  it('keeps what the model answered when the last attempt is cut short', () => {
    expect(whyNotReady(late, 80, 'GET /ping answered 503')).toBe('GET /ping answered 503');
  });
});
