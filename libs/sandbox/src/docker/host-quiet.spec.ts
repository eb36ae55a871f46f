import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { hostIsQuiet } from './host-quiet.js';

describe('hostIsQuiet', () => {
  const proc = mkdtempSync(join(tmpdir(), 'assay-quiet-'));
  afterAll(() => rmSync(proc, { recursive: true }));

  /** Two cores. @param busy hundredths of a second that each was busy since the host started; @param waited seconds */
  const kernelSays = (busy: readonly [number, number], waited: number | null): void => {
    const lines = busy.map((jiffies, core) => `cpu${core} ${jiffies} 0 0 1000 0 0 0 0 0 0`);
    writeFileSync(join(proc, 'stat'), `cpu 0 0 0 0\n${lines.join('\n')}\n`);
    mkdirSync(join(proc, 'pressure'), { recursive: true });
    rmSync(join(proc, 'pressure', 'cpu'), { force: true });
    if (waited === null) return;
    writeFileSync(join(proc, 'pressure', 'cpu'), `some avg10=0.00 avg60=0.00 avg300=0.00 total=${waited * 1e6}\n`);
  };

  it.each<[string, readonly [number, number], number | null, boolean]>([
    ['nothing runs', [500, 500], 3, true],
    ['a little runs', [530, 505], 3.04, true],
    ['a core is busy', [600, 500], 3, false],
    ['all cores are a little busy', [525, 520], 3, false],
    ['something waits for a core', [510, 510], 3.1, false],
  ])('when in a second %s', async (_, busy, waited, quiet) => {
    kernelSays([500, 500], 3);
    let second = 0;
    const watch = () => {
      kernelSays(busy, waited);
      second = 1;
      return Promise.resolve();
    };
    expect(await hostIsQuiet({ proc, cgroups: proc }, watch, () => second)).toBe(quiet);
  });

  it('goes by the cores alone where the kernel keeps no pressure', async () => {
    kernelSays([500, 500], null);
    let second = 0;
    const watch = () => {
      kernelSays([600, 600], null);
      second = 1;
      return Promise.resolve();
    };
    expect(await hostIsQuiet({ proc, cgroups: proc }, watch, () => second)).toBe(false);
  });
});
