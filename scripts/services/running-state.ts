import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { processStatus } from './processes.js';

/**
 * The supervisor of an installation. Written by the supervisor, and read by the commands that start
 * or stop it.
 */
export interface RunningState {
  readonly pid: number;
  /**
   * Start time of the process in clock ticks of the kernel, so that a reused process ID is not
   * mistaken for it.
   */
  readonly born: string;
  readonly address: string;
  readonly phase: 'starting' | 'ready' | 'stopping';
}

/** Returns the state of a running supervisor, or undefined. */
export function readState(home: string): RunningState | undefined {
  const path = stateFile(home);
  if (!existsSync(path)) return undefined;
  const state = JSON.parse(readFileSync(path, 'utf8')) as RunningState;
  return lives(state) ? state : undefined;
}

/** True if the supervisor's process is running, whatever its `phase`. */
export function lives(state: RunningState): boolean {
  return birthOf(state.pid) === state.born;
}

export function writeState(home: string, address: string, phase: RunningState['phase']): void {
  mkdirSync(home, { recursive: true, mode: 0o711 });
  const state: RunningState = { pid: process.pid, born: birthOf(process.pid) ?? '', address, phase };
  // replaced atomically, because another process may be reading it
  const unfinished = `${stateFile(home)}.${process.pid}`;
  writeFileSync(unfinished, `${JSON.stringify(state)}\n`);
  renameSync(unfinished, stateFile(home));
}

export function clearState(home: string): void {
  rmSync(stateFile(home), { force: true });
}

function stateFile(home: string): string {
  return join(home, 'up.json');
}

function birthOf(pid: number): string | undefined {
  const fields = processStatus(pid);
  return fields[0] === 'Z' ? undefined : fields[19];
}
