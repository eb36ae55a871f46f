import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { cgroupOf, coreSeconds, hostCpuWaitSeconds, residentPeak, type KernelFolders } from './cgroup.js';
import { CpuContention } from './cpu-contention.js';
import { MemoryMeter } from './memory-meter.js';

let root: string;
let folders: KernelFolders;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'assay-'));
  folders = { proc: join(root, 'proc'), cgroups: join(root, 'cgroups') };
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function kernel(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}

const version2 = {
  'proc/7/cgroup': '0::/docker/abc\n',
  'cgroups/docker/abc/memory.stat': 'anon 1000\nfile 9000\nkernel 5\nshmem 200\nanon_thp 64\n',
  'cgroups/docker/abc/memory.peak': '12000\n',
  'cgroups/docker/abc/memory.events': 'low 0\nhigh 0\nmax 31\noom 1\noom_kill 2\n',
  'cgroups/docker/abc/cgroup.procs': '7\n8\n',
  'cgroups/docker/abc/cpu.stat': 'usage_usec 2500000\nuser_usec 1\nnr_periods 10\nnr_throttled 4\n',
  'cgroups/docker/abc/cpu.pressure': 'some avg10=0.00 avg60=0.00 avg300=0.00 total=3000000\nfull avg10=0.00 total=1\n',
};

describe('cgroupOf', () => {
  it('reads version 1, where each controller has a path of its own', async () => {
    await kernel({
      'proc/7/cgroup': '5:memory:/docker/abc\n4:cpuset:/docker/abc\n2:cpu,cpuacct:/docker/abc\n0::/\n',
      'cgroups/memory/docker/abc/memory.stat': 'rss 1\nshmem 1\ntotal_rss 1000\ntotal_rss_huge 64\ntotal_shmem 200\n',
      'cgroups/memory/docker/abc/memory.max_usage_in_bytes': '12000\n',
      'cgroups/memory/docker/abc/memory.oom_control': 'oom_kill_disable 0\nunder_oom 0\noom_kill 2\n',
      'cgroups/memory/docker/abc/cgroup.procs': '7\n8\n',
      'cgroups/cpuacct/docker/abc/cpuacct.usage': '2500000000\n',
      'cgroups/cpu/docker/abc/cpu.stat': 'nr_periods 10\nnr_throttled 4\nthrottled_time 1\n',
    });
    const cgroup = cgroupOf(7, folders)!;

    expect(cgroup.memory()).toBe(1200);
    expect(cgroup.memoryPeak()).toBe(12_000);
    expect(cgroup.memoryKills()).toBe(2);
    expect(cgroup.processes()).toEqual([7, 8]);
    expect(cgroup.cpuSeconds()).toBeCloseTo(2.5);
    expect(cgroup.throttling()).toEqual({ periods: 10, throttled: 4 });
    expect(cgroup.cpuWaitSeconds()).toBeNull();
  });

  it('reads version 2', async () => {
    await kernel(version2);
    const cgroup = cgroupOf(7, folders)!;

    expect(cgroup.memory()).toBe(1200);
    expect(cgroup.memoryPeak()).toBe(12_000);
    expect(cgroup.memoryKills()).toBe(2);
    expect(cgroup.processes()).toEqual([7, 8]);
    expect(cgroup.cpuSeconds()).toBeCloseTo(2.5);
    expect(cgroup.throttling()).toEqual({ periods: 10, throttled: 4 });
    expect(cgroup.cpuWaitSeconds()).toBe(3);
  });

  it('has no peak on a kernel that keeps none', async () => {
    await kernel(version2);
    await rm(join(root, 'cgroups/docker/abc/memory.peak'));

    expect(cgroupOf(7, folders)!.memoryPeak()).toBeNull();
  });

  it('is null where this host does not show the container', async () => {
    expect(cgroupOf(7, folders)).toBeNull();
    await kernel({ 'proc/7/cgroup': '0::/docker/abc\n' });
    expect(cgroupOf(7, folders)).toBeNull();
    await kernel({ 'proc/8/cgroup': '0::/\n', 'cgroups/memory.stat': 'anon 1\n' });
    expect(cgroupOf(8, folders)).toBeNull();
  });
});

describe('what the kernel says of the host and of processes', () => {
  it('adds the highest resident memory of the processes that are there', async () => {
    await kernel({
      'proc/7/status': 'Name:\tnode\nVmHWM:\t    100 kB\nVmRSS:\t 50 kB\n',
      'proc/8/status': 'VmHWM:\t 20 kB\n',
      'proc/9/status': 'Name:\tkthread\n',
    });

    expect(residentPeak([7, 8, 9, 10], folders)).toBe(120 * 1024);
  });

  it('reads the pressure and the time of each core', async () => {
    await kernel({
      'proc/pressure/cpu': 'some avg10=0.22 avg60=0.45 avg300=1.52 total=30302497\nfull total=0\n',
      'proc/stat': 'cpu  1 2 3 4 5 6 7 8 0 0\ncpu0 100 0 100 9000 9000 0 0 50 0 0\ncpu1 0 0 0 1 0 0 0 0 0 0\nintr 1\n',
    });

    expect(hostCpuWaitSeconds(folders)).toBeCloseTo(30.302497);
    expect(coreSeconds(folders).get(0)).toEqual({ busy: 2.5, stolen: 0.5 });
    expect(coreSeconds(folders).get(1)).toEqual({ busy: 0, stolen: 0 });
  });
});

describe('MemoryMeter', () => {
  it('keeps the highest it saw', async () => {
    await kernel(version2);
    const meter = new MemoryMeter(cgroupOf(7, folders));
    meter.start();
    await kernel({ 'cgroups/docker/abc/memory.stat': 'anon 50000\nshmem 0\n' });
    meter.read();
    await kernel({ 'cgroups/docker/abc/memory.stat': 'anon 10\nshmem 0\n' });

    expect(meter.read()).toEqual({ peak: 50_000, cgroupPeak: 12_000 });
    expect(meter.kills).toBe(2);
    meter.stop();
    expect(meter.read()).toEqual({ peak: 50_000, cgroupPeak: 12_000 });
  });
});

describe('CpuContention', () => {
  let clock = 0;

  /** Seconds since the start: the model waited, used, and its core was busy and stolen from. */
  const at = (waited: number, used: number, busy: number, stolen = 0) =>
    kernel({
      ...version2,
      'cgroups/docker/abc/cpu.pressure': `some total=${waited * 1e6}\n`,
      'cgroups/docker/abc/cpu.stat': `usage_usec ${used * 1e6}\n`,
      'proc/stat': `cpu1 ${(busy - stolen) * 100} 0 0 0 0 0 0 ${stolen * 100} 0 0\n`,
    });

  it.each([
    ['an idle host', [0, 0.9, 0.9], false],
    ['its own threads, queueing for its own core', [0.8, 1, 1], false],
    ['another process on its core', [0.5, 0.5, 1], true],
    ['another process on its core while it had nothing to do', [0, 0, 1], false],
    ['a hypervisor that gave the core to others', [0, 0.9, 1, 0.1], true],
  ])('tells %s', async (_, figures, contended) => {
    await at(0, 0, 0);
    clock = 0;
    const contention = new CpuContention(cgroupOf(7, folders), [1], folders, () => clock);
    clock = 1;
    await at(...(figures as [number, number, number, number?]));

    expect(contention.sinceLast()).toBe(contended);
    clock = 2;
    expect(contention.sinceLast()).toBe(false);
  });
});
