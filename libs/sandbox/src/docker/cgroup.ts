import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The kernel's counters for one container. Every figure is null if it cannot be read (any more).
 */
export interface Cgroup {
  /** Anonymous and shared memory at present, in bytes. */
  memory(): number | null;
  /** The highest memory so far, page cache included, in bytes. */
  memoryPeak(): number | null;
  /** The number of processes that were killed because memory ran out. */
  memoryKills(): number | null;
  processes(): number[];
  /** CPU time used, in seconds. */
  cpuSeconds(): number | null;
  /** The number of periods of the CPU quota, and of those in which it was exhausted. */
  throttling(): { readonly periods: number; readonly throttled: number } | null;
  /**
   * Seconds in which one of its processes waited for a CPU; null if the kernel reports this for the
   * whole host only.
   */
  cpuWaitSeconds(): number | null;
  close(): void;
}

export interface KernelFolders {
  readonly proc: string;
  readonly cgroups: string;
}

export const kernelFolders: KernelFolders = { proc: '/proc', cgroups: '/sys/fs/cgroup' };

/**
 * Returns the control group (version 1 or 2) of the process `pid`. Null if this host does not show
 * it: the engine is on another machine, or the worker is itself in a container.
 */
export function cgroupOf(pid: number, folders: KernelFolders = kernelFolders): Cgroup | null {
  const lines = readText(join(folders.proc, String(pid), 'cgroup'))?.split('\n') ?? [];
  const paths = new Map<string, string>();
  for (const line of lines) {
    const [, controllers, path] = /^\d+:([^:]*):(.+)$/.exec(line) ?? [];
    if (path === undefined) continue;
    for (const controller of (controllers ?? '').split(',')) paths.set(controller, path);
  }
  // a process without its own group is not in a container
  if ((paths.get('memory') ?? paths.get('') ?? '/') === '/') return null;

  const cgroup = paths.has('memory')
    ? version1(paths, folders.cgroups)
    : version2(join(folders.cgroups, paths.get('')!));
  if (cgroup.memory() !== null) return cgroup;
  cgroup.close();
  return null;
}

function version1(paths: ReadonlyMap<string, string>, root: string): Cgroup {
  const files = new KernelFiles();
  const file = (controller: string, name: string) => join(root, controller, paths.get(controller) ?? '', name);
  return {
    memory: () => sumOf(files.read(file('memory', 'memory.stat')), 'total_rss', 'total_shmem'),
    memoryPeak: () => numberIn(files.read(file('memory', 'memory.max_usage_in_bytes'))),
    memoryKills: () => sumOf(files.read(file('memory', 'memory.oom_control')), 'oom_kill'),
    processes: () => numbersIn(files.read(file('memory', 'cgroup.procs'))),
    cpuSeconds: () => scaled(numberIn(files.read(file('cpuacct', 'cpuacct.usage'))), 1e-9),
    throttling: () => throttlingIn(files.read(file('cpu', 'cpu.stat'))),
    cpuWaitSeconds: () => null,
    close: () => files.close(),
  };
}

function version2(folder: string): Cgroup {
  const files = new KernelFiles();
  const read = (name: string) => files.read(join(folder, name));
  return {
    memory: () => sumOf(read('memory.stat'), 'anon', 'shmem'),
    memoryPeak: () => numberIn(read('memory.peak')),
    memoryKills: () => sumOf(read('memory.events'), 'oom_kill'),
    processes: () => numbersIn(read('cgroup.procs')),
    cpuSeconds: () => scaled(sumOf(read('cpu.stat'), 'usage_usec'), 1e-6),
    throttling: () => throttlingIn(read('cpu.stat')),
    cpuWaitSeconds: () => pressureIn(read('cpu.pressure')),
    close: () => files.close(),
  };
}

/**
 * Returns the sum over `processes` of the largest resident memory that each ever had (VmHWM), in
 * bytes.
 */
export function residentPeak(processes: readonly number[], { proc }: KernelFolders = kernelFolders): number {
  let sum = 0;
  for (const process of processes) {
    const [, kibibytes] = /^VmHWM:\s+(\d+) kB/m.exec(readText(join(proc, String(process), 'status')) ?? '') ?? [];
    sum += Number(kibibytes ?? 0) * 1024;
  }
  return sum;
}

/**
 * Returns the seconds in which some process of the host waited for a CPU (pressure stall
 * information); null if unknown.
 */
export function hostCpuWaitSeconds({ proc }: KernelFolders = kernelFolders): number | null {
  return pressureIn(readText(join(proc, 'pressure', 'cpu')));
}

/**
 * Returns by core the seconds that it was busy (`busy`, which includes `stolen`), and that the
 * hypervisor gave to others (`stolen`).
 */
export function coreSeconds({ proc }: KernelFolders = kernelFolders): ReadonlyMap<
  number,
  { busy: number; stolen: number }
> {
  const cores = new Map<number, { busy: number; stolen: number }>();
  for (const [, core, figures] of (readText(join(proc, 'stat')) ?? '').matchAll(/^cpu(\d+) (.+)$/gm)) {
    const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = figures!
      .trim()
      .split(' ')
      .map(Number);
    // in USER_HZ, which is 100 on every current Linux
    cores.set(Number(core), { busy: (user + nice + system + irq + softirq + steal) / 100, stolen: steal / 100 });
  }
  return cores;
}

/**
 * Reads small kernel files repeatedly. Opens each once, because opening costs more than reading.
 */
class KernelFiles {
  private readonly open = new Map<string, number | null>();
  private readonly buffer = Buffer.alloc(16_384);

  read(path: string): string | null {
    let file = this.open.get(path);
    try {
      if (file === undefined) this.open.set(path, (file = openSync(path, 'r')));
      if (file === null) return null;
      return this.buffer.toString('latin1', 0, readSync(file, this.buffer, 0, this.buffer.length, 0));
    } catch {
      // removed with its container, or missing in this kernel
      this.forget(path, file);
      return null;
    }
  }

  close(): void {
    for (const [path, file] of this.open) this.forget(path, file);
  }

  private forget(path: string, file: number | null | undefined): void {
    if (typeof file === 'number') closeSync(file);
    this.open.set(path, null);
  }
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return null;
  }
}

function sumOf(text: string | null, ...keys: readonly string[]): number | null {
  if (text === null) return null;
  let sum: number | null = null;
  for (const line of text.split('\n')) {
    const space = line.indexOf(' ');
    if (space > 0 && keys.includes(line.slice(0, space))) sum = (sum ?? 0) + Number(line.slice(space + 1));
  }
  return sum;
}

function throttlingIn(text: string | null): { periods: number; throttled: number } | null {
  const periods = sumOf(text, 'nr_periods');
  const throttled = sumOf(text, 'nr_throttled');
  return periods === null || throttled === null ? null : { periods, throttled };
}

function pressureIn(text: string | null): number | null {
  const [, microseconds] = /^some .*total=(\d+)/m.exec(text ?? '') ?? [];
  return microseconds === undefined ? null : Number(microseconds) / 1e6;
}

function numbersIn(text: string | null): number[] {
  return (text ?? '').split('\n').filter(Boolean).map(Number);
}

function numberIn(text: string | null): number | null {
  const value = Number.parseInt(text ?? '', 10);
  return Number.isNaN(value) ? null : value;
}

function scaled(value: number | null, factor: number): number | null {
  return value === null ? null : value * factor;
}
