import { statfs } from 'node:fs/promises';
import { cpus, tmpdir, totalmem } from 'node:os';
import { readEnvironment } from '@assay/contracts';
import { TaskLimits } from '@assay/contracts/tasks';
import { describe, expect, it } from '@jest/globals';
import { ceilingProblems, clampLimits, configuredCeilings, expectWithinCeilings, hostCeilings } from './ceilings.js';

const TIB = 2 ** 40;
const defaults = TaskLimits.parse({});
const ceilingsWith = (settings: Readonly<Record<string, string>> = {}) =>
  hostCeilings(configuredCeilings(readEnvironment({ DATABASE_URL: 'postgres://x', ...settings })), tmpdir());

describe('ceilings', () => {
  it('derive from the host, and never refuse the default of a limit', async () => {
    const ceilings = await ceilingsWith();

    expect(ceilingProblems(defaults, ceilings)).toEqual([]);
    expect(ceilings.memory).toBeLessThan(900 * TIB);
    expect(ceilings.evaluationSeconds).toBe(86_400);
    expect(Object.values(ceilings).every((value) => Number.isFinite(value) && value > 0)).toBe(true);
  });

  it('are in bytes and cores what the host has', async () => {
    const { blocks, bsize } = await statfs(tmpdir());
    const disk = blocks * bsize;

    expect(await ceilingsWith()).toMatchObject({
      memory: Math.max(totalmem(), defaults.memory),
      cpus: Math.max(cpus().length, defaults.cpus),
      artifact: Math.max(disk, defaults.artifact),
      unpacked: Math.max(disk, defaults.unpacked),
    });
  });

  it('are what the operator sets', async () => {
    expect(
      await ceilingsWith({ ASSAY_MAX_MEMORY: '2GiB', ASSAY_MAX_CPUS: '3', ASSAY_MAX_UNPACKED: '1GiB' }),
    ).toMatchObject({
      memory: 2 * 2 ** 30,
      cpus: 3,
      unpacked: 2 ** 30,
    });
  });

  it('refuse a limit above them, and name its key, its value, the ceiling and the setting', async () => {
    const ceilings = await ceilingsWith({ ASSAY_MAX_MEMORY: '8GiB', ASSAY_MAX_EVALUATION_SECONDS: '7200' });
    const limits = { ...defaults, memory: 900 * TIB, evaluationSeconds: 604_800 };

    expect(ceilingProblems(limits, ceilings)).toEqual([
      {
        path: 'limits.memory',
        message:
          '900 TiB is above the ceiling of this service, 8 GiB. Lower it, or ask the operator to raise ASSAY_MAX_MEMORY.',
      },
      {
        path: 'limits.evaluationSeconds',
        message:
          '604800 s is above the ceiling of this service, 7200 s. Lower it, or ask the operator to raise ASSAY_MAX_EVALUATION_SECONDS.',
      },
    ]);
    expect(() => expectWithinCeilings(limits, ceilings)).toThrow(/limits\.memory: 900 TiB/);
  });

  it('accept a limit that is as high as they are', async () => {
    const ceilings = await ceilingsWith({ ASSAY_MAX_MEMORY: '8GiB', ASSAY_MAX_CPUS: '2' });

    expect(ceilingProblems({ ...defaults, ...ceilings }, ceilings)).toEqual([]);
    expect(clampLimits(ceilings, ceilings)).toEqual(ceilings);
  });

  it('leave a limit alone that was above them before', async () => {
    const ceilings = await ceilingsWith({ ASSAY_MAX_MEMORY: '8GiB' });
    const present = { ...defaults, memory: 16 * 2 ** 30 };

    expect(ceilingProblems(present, ceilings, present)).toEqual([]);
    expect(ceilingProblems({ ...present, memory: 17 * 2 ** 30 }, ceilings, present)).toHaveLength(1);
  });

  it('lower limits for a run, and touch nothing below them', async () => {
    const ceilings = await ceilingsWith({ ASSAY_MAX_MEMORY: '8GiB', ASSAY_MAX_PIDS: '64' });
    const limits = { memory: 900 * TIB, cpus: 1, pids: 256, tolerance: 0.5 };

    expect(clampLimits(limits, ceilings)).toEqual({ memory: 8 * 2 ** 30, cpus: 1, pids: 64, tolerance: 0.5 });
  });
});
