import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Returns a file of a process in `/proc`, or an empty text if the process has ended. */
export function processFile(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

/** Returns the fields of `/proc/PID/stat` from the state on. The state of a zombie is `Z`. */
export function processStatus(pid: number): readonly string[] {
  // the name of the program, in parentheses, may contain spaces
  return processFile(pid, 'stat')
    .replace(/^.*\) /s, '')
    .split(' ');
}

/** Signals a process, or the group `-pid`. Does nothing if it has already ended. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // it has already ended
  }
}

/**
 * Repeats `look` until its result is truthy or `milliseconds` have passed, and returns the last
 * result. Pauses for a tenth of the time so far, between 25 and 250 ms: a look takes processor time
 * from the awaited work.
 */
export async function poll<T>(look: () => T | Promise<T>, milliseconds: number): Promise<T> {
  const started = Date.now();
  for (;;) {
    const result = await look();
    const waited = Date.now() - started;
    if (result || waited > milliseconds) return result;
    await sleep(Math.min(Math.max(waited / 10, 25), 250));
  }
}

/**
 * Ends the server of a supervisor that was killed: it may still use the folder of its PID file.
 * @param name describes the process in the error
 * @throws Error if it does not end within `milliseconds`
 */
export async function endLeftover(
  pidFile: string,
  signal: NodeJS.Signals,
  milliseconds: number,
  name: (pid: number) => string,
): Promise<void> {
  const pid = existsSync(pidFile) ? Number.parseInt(readFileSync(pidFile, 'utf8'), 10) : 0;
  // the number may belong to another process by now
  const runs = (): boolean => pid > 1 && processFile(pid, 'cmdline').includes(dirname(pidFile));
  if (!runs()) return;
  sendSignal(pid, signal);
  if (!(await poll(() => !runs(), milliseconds))) throw new Error(`${name(pid)} does not stop. Stop it first.`);
}

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

/** Returns an engine's `data-root` and the folders in it that the engine uses for remapped users, `UID.GID`. */
function dataRoots(data: string): readonly string[] {
  const names = existsSync(data) ? readdirSync(data).filter((name) => /^\d+\.\d+$/.test(name)) : [];
  return [data, ...names.map((name) => join(data, name))];
}

function leftProcesses(data: string, execRoot: string): ReadonlySet<number> {
  const ids = dataRoots(data)
    .map((root) => join(root, 'containers'))
    .flatMap((containers) => (existsSync(containers) ? readdirSync(containers) : []))
    .filter((name) => /^[0-9a-f]{64}$/.test(name));
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
