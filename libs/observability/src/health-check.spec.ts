import { describe, expect, it } from '@jest/globals';
import { HealthChecks } from './health-check.js';

describe('HealthChecks', () => {
  it('is well when all are, and names what is not', async () => {
    const fine = { name: 'database', probe: () => Promise.resolve() };
    const broken = { name: 'queue', probe: () => Promise.reject(new Error('refused')) };
    const silent = { name: 'engine', probe: () => new Promise<void>(() => undefined) };

    expect(await new HealthChecks([fine]).report()).toMatchObject({ ok: true });
    expect(await new HealthChecks([fine, broken, silent], 20).report()).toMatchObject({
      ok: false,
      checks: [
        { name: 'database', ok: true },
        { name: 'queue', ok: false, error: 'refused' },
        { name: 'engine', ok: false, error: 'no answer within 20 ms' },
      ],
    });
  });
});
