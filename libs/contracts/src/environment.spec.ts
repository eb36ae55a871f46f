import { describe, expect, it } from '@jest/globals';
import { readEnvironment } from './environment.js';

describe('the environment', () => {
  it('lets a token make 100 cheap reads a second, and keeps its user from making more than five times as many', () => {
    const settings = readEnvironment({ DATABASE_URL: 'postgresql://localhost/assay' });
    expect(settings.ASSAY_READS_PER_MINUTE).toBeGreaterThanOrEqual(100 * 60);
    expect(settings.ASSAY_REQUESTS_PER_MINUTE).toBeLessThanOrEqual(5 * 100 * 60);
    for (const costly of ['COSTLY_REQUESTS', 'LIVE_REQUESTS', 'CHANGES', 'UPLOADS', 'SIGN_INS'] as const) {
      expect(settings[`ASSAY_${costly}_PER_MINUTE`]).toBeLessThan(settings.ASSAY_READS_PER_MINUTE);
    }
  });
});
