import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { HostView, limitFiles } from './host-view.js';

const GIB = 2 ** 30;

describe('what a model sees of the host', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'assay-view-'));
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  it('is its own memory, and no use of it', () => {
    const meminfo = limitFiles({ memory: 2 * GIB, cpus: 1 })['/proc/meminfo'];
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
    [0.5, 1, '0\n'],
    [1, 1, '0\n'],
    [2.5, 3, '0-2\n'],
    [4, 4, '0-3\n'],
  ])('is %p cores as %p', (cpus, cores, online) => {
    const { '/proc/stat': stat, ...files } = limitFiles({ memory: GIB, cpus });
    expect(files['/sys/devices/system/cpu/online']).toBe(online);
    expect(stat!.match(/^cpu\d+ /gm)).toHaveLength(cores);
    expect(stat).toMatch(/^cpu {2}(0 ){9}0\ncpu0 (0 ){9}0\n/);
    expect(stat).toMatch(/^btime 0$/m);
  });

  it('is written once, for processes that start at the same time too', async () => {
    const views = Array.from({ length: 5 }, () => new HostView(root));
    const mounts = await Promise.all(views.map((view) => view.mounts({ memory: GIB, cpus: 2 })));
    for (const other of mounts) expect(other).toEqual(mounts[0]);
    expect(await readdir(join(root, 'proc-files'))).toHaveLength(1);
    const files = limitFiles({ memory: GIB, cpus: 2 });
    expect(mounts[0]!.map(({ Target }) => Target)).toEqual(Object.keys(files));
    for (const { Source, Target, ReadOnly } of mounts[0]!) {
      expect(ReadOnly).toBe(true);
      expect(await readFile(Source, 'utf8')).toBe(files[Target]);
    }
  });
});
