import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Milliseconds to wait for killed processes. One that the kernel cannot end sooner (it waits for a
 * disk) ends later by itself.
 */
const PATIENCE = 10_000;

/** A process that is not a zombie. */
interface LivingProcess {
  readonly pid: number;
  readonly parent: number;
  /** Its arguments, starting with the program. */
  readonly command: readonly string[];
  readonly cgroup: string;
}

/**
 * Kills what an engine that has ended left running: its containers, and its containerd with the
 * shims, which have sessions of their own.
 * @param data the engine's `data-root`
 * @param execRoot the engine's `exec-root`
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
    // the name of the program, in parentheses, may contain spaces
    const [state, parent] = read('stat')
      .replace(/^.*\) /s, '')
      .split(' ');
    if (state === 'Z') return undefined;
    return { pid, parent: Number(parent), command: read('cmdline').split('\0'), cgroup: read('cgroup') };
  } catch {
    return undefined; // it has just ended
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it has already ended
  }
}
