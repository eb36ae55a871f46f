import { describe, expect, it } from '@jest/globals';
import { runCommand } from './command.js';
import { canMakeNetworks, inOwnNetwork, lanesOf, LONG_SPECS, secondsOf, specsOf, type TestPart } from './test-lanes.js';

describe('lanes of tests', () => {
  const parts = (['e2e', 'faults'] as const).map((tier) => ({ tier, specs: specsOf(tier) }));
  const secondsOfLane = (lane: readonly TestPart[]): number =>
    lane.flatMap(({ specs }) => specs).reduce((sum, spec) => sum + secondsOf(spec), 0);

  it('run side by side in networks of their own, and no spec is left out or run twice', () => {
    const lanes = lanesOf(parts, 'own');

    expect(lanes).toHaveLength(3);
    for (const { tier, specs } of parts) {
      const ofTier = lanes.flat().filter((part) => part.tier === tier);
      expect(ofTier.flatMap((part) => part.specs).sort()).toEqual([...specs].sort());
    }
    expect(lanesOf(parts, 'common')).toEqual([parts]);
  });

  it('take about the same time each', () => {
    const seconds = lanesOf(parts, 'own').map(secondsOfLane);

    expect(Math.max(...seconds) - Math.min(...seconds)).toBeLessThan(60);
  });

  it('know how long specs take that are there', () => {
    const specs = parts.flatMap((part) => part.specs);

    expect(Object.keys(LONG_SPECS).filter((spec) => !specs.includes(spec))).toEqual([]);
  });

  it('are only those with something to do', () => {
    const one = { tier: 'faults', specs: ['test/faults/queue.spec.ts'] } as const;

    expect(lanesOf([{ tier: 'e2e', specs: [] }, one], 'own')).toEqual([[one]]);
    expect(lanesOf([], 'own')).toEqual([]);
  });

  it('keep the arguments of the command, and its exit code', async () => {
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
