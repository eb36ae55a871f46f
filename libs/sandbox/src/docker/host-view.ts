import { createHash, randomUUID } from 'node:crypto';
import { access, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { ContainerCreateOptions } from 'dockerode';
import type { SandboxLimits } from '../sandbox.js';

type HostConfig = NonNullable<ContainerCreateOptions['HostConfig']>;
type Limits = Pick<SandboxLimits, 'memory' | 'cpus'>;

/** The paths that Docker 20.10 masks by default. A list of masked paths replaces them. */
const MASKED_BY_DOCKER = [
  '/proc/acpi',
  '/proc/asound',
  '/proc/kcore',
  '/proc/keys',
  '/proc/latency_stats',
  '/proc/sched_debug',
  '/proc/scsi',
  '/proc/timer_list',
  '/proc/timer_stats',
  '/sys/firmware',
];

/**
 * The paths that are empty in a model's container under runc: by default, and what else tells the host
 * from others, or shows the load of its neighbours.
 */
export const MASKED_PATHS: readonly string[] = [
  ...MASKED_BY_DOCKER,
  '/proc/cmdline',
  '/proc/interrupts',
  '/proc/pressure',
  '/proc/sys/kernel/random/boot_id',
  '/proc/vmstat',
  '/proc/zoneinfo',
  '/sys/devices/virtual/powercap',
];

/**
 * Returns the files that a model sees instead of those of the host, by path: those that psutil, the C
 * library and `os.cpus()` of Node read. They show its own limits, and neither load nor use.
 */
export function limitFiles({ memory, cpus }: Limits): Readonly<Record<string, string>> {
  const kibibytes = Math.floor(memory / 1024);
  const unused = ['Buffers', 'Cached', 'SwapCached', 'Active', 'Inactive', 'SwapTotal', 'SwapFree', 'Shmem', 'Slab'];
  const amounts: readonly (readonly [name: string, amount: number])[] = [
    ...['MemTotal', 'MemFree', 'MemAvailable'].map((name) => [name, kibibytes] as const),
    ...[...unused, 'SReclaimable', 'SUnreclaim'].map((name) => [name, 0] as const),
  ];
  const count = Math.ceil(cpus);
  const cores = Array.from({ length: count }, (_, core) => `cpu${core}`);
  const times = ['cpu ', ...cores].map((name) => `${name}${' 0'.repeat(10)}`);
  const counters = ['intr 0', 'ctxt 0', 'btime 0', 'processes 0', 'procs_running 1', 'procs_blocked 0', 'softirq 0'];
  return {
    '/proc/diskstats': '',
    '/proc/loadavg': '0.00 0.00 0.00 1/1 1\n',
    '/proc/meminfo': amounts
      .map(([name, amount]) => `${`${name}:`.padEnd(15)} ${String(amount).padStart(8)} kB\n`)
      .join(''),
    '/proc/stat': [...times, ...counters].map((line) => `${line}\n`).join(''),
    // what sysconf(_SC_NPROCESSORS_ONLN) counts, and with it psutil and the thread pools of C++ libraries
    '/sys/devices/system/cpu/online': count === 1 ? '0\n' : `0-${count - 1}\n`,
  };
}

/** The files of this host that hide it from models. */
export class HostView {
  /** @param root a folder of the engine's host that only this process's user can enter */
  constructor(private readonly root: string) {}

  /** Returns the mounts over /proc and /sys that a model's container needs under runc. */
  async mounts(limits: Limits): Promise<NonNullable<HostConfig['Mounts']>> {
    const files = limitFiles(limits);
    const folder = await this.folderOf(files);
    return Object.keys(files).map((path) => ({
      Type: 'bind',
      Source: join(folder, basename(path)),
      Target: path,
      ReadOnly: true,
    }));
  }

  /** Returns a folder with these files. Containers that run may use it, so it is never changed. */
  private async folderOf(files: Readonly<Record<string, string>>): Promise<string> {
    const key = createHash('sha256').update(JSON.stringify(files)).digest('hex').slice(0, 16);
    const folder = join(this.root, 'proc-files', key);
    if (await exists(folder)) return folder;

    const fresh = `${folder}.${randomUUID()}`;
    await mkdir(fresh, { recursive: true });
    for (const [path, content] of Object.entries(files)) {
      await writeFile(join(fresh, basename(path)), content, { mode: 0o444 });
    }
    try {
      await rename(fresh, folder);
    } catch (error) {
      // another process has written it meanwhile
      await rm(fresh, { recursive: true });
      if (!(await exists(folder))) throw error;
    }
    return folder;
  }
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
