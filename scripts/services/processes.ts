import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
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
