import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { poll, processFile, processStatus, sendSignal } from './processes.js';

/**
 * Milliseconds to wait for killed processes. One that the kernel cannot end sooner (it waits for a
 * disk) ends later by itself.
 */
const PATIENCE = 10_000;

/**
 * Kills what an engine that has ended left running: its containers, and its containerd with the
 * shims, which have sessions of their own.
 * @param data the engine's `data-root`
 * @param execRoot the engine's `exec-root`
 */
export async function endContainers(data: string, execRoot: string): Promise<void> {
  await poll(() => {
    const left = leftProcesses(data, execRoot);
    for (const pid of left) sendSignal(pid, 'SIGKILL');
    return left.size === 0;
  }, PATIENCE);
}

function leftProcesses(data: string, execRoot: string): ReadonlySet<number> {
  const containers = join(data, 'containers');
  const ids = existsSync(containers) ? readdirSync(containers).filter((name) => /^[0-9a-f]{64}$/.test(name)) : [];
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const living = pids
    .map((name) => ({ pid: Number(name), status: processStatus(Number(name)) }))
    .filter(({ status: [state] }) => state !== 'Z');
  const isLeft = (pid: number): boolean => {
    const command = processFile(pid, 'cmdline').split('\0');
    const cgroup = processFile(pid, 'cgroup');
    const isEngines = basename(command[0] ?? '').startsWith('containerd') && command.join(' ').includes(execRoot);
    return isEngines || ids.some((id) => cgroup.includes(id));
  };
  const left = new Set(living.map(({ pid }) => pid).filter(isLeft));
  // a set also yields what is added to it on the way: the processes below those
  for (const pid of left) {
    for (const { pid: child, status } of living) if (Number(status[1]) === pid) left.add(child);
  }
  return left;
}
