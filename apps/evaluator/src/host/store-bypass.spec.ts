import { describe, expect, it } from '@jest/globals';
import { storeBypassWarning } from './store-bypass.js';

const statusWith = (state: string): string =>
  `Name:\tnode\nSeccomp:\t0\nSpeculation_Store_Bypass:\t${state}\nSpeculationIndirectBranch:\tconditional enabled\n`;

describe('the warning about speculative store bypass', () => {
  it.each(['thread vulnerable', 'vulnerable'])('names the state %j and the boot parameter', (state) => {
    expect(storeBypassWarning(statusWith(state))).toMatch(
      new RegExp(`\\("${state}"\\).*spec_store_bypass_disable=on$`),
    );
  });

  it.each(['not vulnerable', 'thread mitigated', 'thread force mitigated', 'globally mitigated', 'unknown'])(
    'is not given in the state %j',
    (state) => {
      expect(storeBypassWarning(statusWith(state))).toBeNull();
    },
  );

  it('is not given by a kernel without the figure', () => {
    expect(storeBypassWarning('Name:\tnode\nSeccomp:\t0\n')).toBeNull();
  });
});
