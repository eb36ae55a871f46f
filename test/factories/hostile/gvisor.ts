import { it } from '@jest/globals';
import { findProgram } from '../../../scripts/services/debian-packages.js';

/**
 * Registers tests that need gVisor. If the engine lacks the runtime, registers a skipped test, or
 * in CI with `runsc` installed a failing one.
 */
export function withGvisor(hasGvisor: boolean, tests: () => void): void {
  if (hasGvisor) tests();
  else if (process.env['CI'] && findProgram('runsc')) {
    it('runs under gVisor, whose program is here', () => {
      throw new Error('The engine has no runtime runsc: start it with one, or let the tests start their own.');
    });
  } else it.skip('runs under gVisor, which the engine does not have', () => undefined);
}
