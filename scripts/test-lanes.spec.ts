import { describe, expect, it } from '@jest/globals';
import { canMakeNetworks, inOwnNetwork, lanesOf } from './test-lanes.js';
import { runCommand } from './command.js';

describe('lanes of tests', () => {
  it('run side by side in networks of their own, and none of a tier is left out or run twice', () => {
    expect(lanesOf(['e2e', 'faults'], 'own')).toEqual([
      [{ tier: 'e2e', shard: '1/2' }],
      [{ tier: 'e2e', shard: '2/2' }, { tier: 'faults' }],
    ]);
    expect(lanesOf(['e2e', 'faults'], 'common')).toEqual([[{ tier: 'e2e' }, { tier: 'faults' }]]);
  });

  it('are only those with something to do', () => {
    expect(lanesOf(['faults'], 'own')).toEqual([[{ tier: 'faults' }]]);
    expect(lanesOf([], 'own')).toEqual([]);
  });

  it('keep what the command is told, and its exit code', async () => {
    if (!(await canMakeNetworks())) {
      console.warn('Not tested: this process may not make networks.');
      return;
    }
    const { output, code } = await runCommand(
      ...inOwnNetwork('sh', ['-c', 'ip -o link; echo "$1"; exit 7', '_', 'a "b" $c']),
    );
    expect(code).toBe(7);
    expect(output).toMatch(/^1: lo: <LOOPBACK,UP[^\n]*\na "b" \$c\n$/);
  });
});
