import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { HostView, processFiles } from './host-view.js';

const GIB = 2 ** 30;

describe('what a model sees of the host', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'assay-view-'));
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  it('is its own memory, and no use of it', () => {
    const { meminfo } = processFiles({ memory: 2 * GIB, cpus: 1 });
    const amounts = Object.fromEntries(
      meminfo!
        .trimEnd()
        .split('\n')
        .map((line) => /^(\w+): +(\d+) kB$/.exec(line)!.slice(1)),
    );
    expect(amounts).toMatchObject({ MemTotal: '2097152', MemFree: '2097152', MemAvailable: '2097152' });
    // psutil reads these as well
    for (const name of ['Buffers', 'Cached', 'Active', 'Inactive', 'Shmem', 'Slab', 'SwapTotal', 'SwapFree'])
      expect(amounts).toHaveProperty(name, '0');
  });

  it.each([
    [0.5, 1],
    [1, 1],
    [2.5, 3],
    [4, 4],
  ])('is %p cores as %p', (cpus, cores) => {
    const { stat } = processFiles({ memory: GIB, cpus });
    expect(stat!.match(/^cpu\d+ /gm)).toHaveLength(cores);
    expect(stat).toMatch(/^cpu {2}(0 ){9}0\ncpu0 (0 ){9}0\n/);
    expect(stat).toMatch(/^btime 0$/m);
  });

  it('is written once, for processes that start at the same time too', async () => {
    const views = Array.from({ length: 5 }, () => new HostView(root));
    const mounts = await Promise.all(views.map((view) => view.mounts({ memory: GIB, cpus: 2 })));
    for (const other of mounts) expect(other).toEqual(mounts[0]);
    expect(await readdir(join(root, 'proc-files'))).toHaveLength(1);
    for (const { Source, Target, ReadOnly } of mounts[0]!) {
      expect([Target, ReadOnly]).toEqual([expect.stringMatching(/^\/proc\/(diskstats|loadavg|meminfo|stat)$/), true]);
      expect(await readFile(Source, 'utf8')).toBe(
        processFiles({ memory: GIB, cpus: 2 })[Target.slice('/proc/'.length)],
      );
    }
  });
});
