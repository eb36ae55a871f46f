import { readFileSync, writeFileSync } from 'node:fs';

export const MIB = 2 ** 20;

/**
 * Returns the peak resident memory of the process in bytes, since `forgetPeak` or since its start
 * (proc(5), VmHWM).
 */
export const peakMemory = (pid: number): number => memoryLine(pid, 'VmHWM');

export const memoryNow = (pid: number): number => memoryLine(pid, 'VmRSS');

/** Resets the peak of the process. */
export function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

function memoryLine(pid: number, name: string): number {
  const found = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  if (!found) throw new Error(`process ${pid} shows no ${name}`);
  return Number(found[1]) * 1024;
}
