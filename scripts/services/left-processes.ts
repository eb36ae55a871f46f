import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** What the kernel cannot end sooner (it waits for a disk) ends later, by itself. Milliseconds. */
const PATIENCE = 10_000;

/** A process that is no zombie. */
interface LivingProcess {
  readonly pid: number;
  readonly parent: number;
  /** Its arguments, the program first. */
  readonly command: readonly string[];
  readonly cgroup: string;
}

/**
 * Kills what an engine that is gone left running: its containers, and its containerd with their shims, which are in sessions of their own.
 * @param data the engine's `data-root`
 * @param execRoot its `exec-root`
 */
export async function endContainers(data: string, execRoot: string): Promise<void> {
  const deadline = Date.now() + PATIENCE;
  for (;;) {
    const left = leftProcesses(data, execRoot);
    for (const pid of left) kill(pid);
    if (left.size === 0 || Date.now() > deadline) return;
    await sleep(50);
  }
}

function leftProcesses(data: string, execRoot: string): ReadonlySet<number> {
  const ids = containersIn(data);
  const living = livingProcesses();
  const left = new Set<number>();
  const take = (one: LivingProcess): void => {
    if (left.has(one.pid)) return;
    left.add(one.pid);
    for (const child of living) if (child.parent === one.pid) take(child);
  };
  for (const one of living) {
    const isEngines =
      basename(one.command[0] ?? '').startsWith('containerd') && one.command.join(' ').includes(execRoot);
    if (isEngines || ids.some((id) => one.cgroup.includes(id))) take(one);
  }
  return left;
}

function containersIn(data: string): string[] {
  const directory = join(data, 'containers');
  return existsSync(directory) ? readdirSync(directory).filter((name) => /^[0-9a-f]{64}$/.test(name)) : [];
}

function livingProcesses(): LivingProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => livingProcess(Number(name)))
    .filter((one) => one !== undefined);
}

function livingProcess(pid: number): LivingProcess | undefined {
  const read = (file: string): string => readFileSync(`/proc/${pid}/${file}`, 'utf8');
  try {
    // the program's name, in brackets, may hold spaces
    const [state, parent] = read('stat')
      .replace(/^.*\) /s, '')
      .split(' ');
    if (state === 'Z') return undefined;
    return { pid, parent: Number(parent), command: read('cmdline').split('\0'), cgroup: read('cgroup') };
  } catch {
    return undefined; // it ended just now
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // gone already
  }
}
