import { describe, expect, it } from '@jest/globals';
import { runNode } from './command.js';

const run = (...given: readonly string[]) =>
  runNode(['--import', './scripts/typescript.mjs', 'scripts/test-probes.ts', ...given]);

describe('the command line of a script', () => {
  it('tells its usage when asked', async () => {
    const { code, output } = await run('--help');
    expect([code, output]).toEqual([0, expect.stringMatching(/^Usage: npm run test:probes/)]);
  });

  it.each([
    ['an option', ['--nope'], "Unknown option '--nope'"],
    ['a value', ['--runtime', 'nope'], 'Unknown runtime: nope.'],
    ['a name', ['nope'], 'Unknown probe: nope.'],
  ])('says of %s that it does not know, and how it is used', async (_what, given, why) => {
    const { code, output } = await run(...given);
    expect(code).toBe(64);
    expect(output).toMatch(new RegExp(`^${why}.*\n\nUsage: npm run test:probes`));
    expect(output).not.toContain('    at ');
  });
});
