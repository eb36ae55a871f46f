import { readFileSync } from 'node:fs';

/**
 * Returns the milliseconds since boot in which a runnable task had to wait for a processor or a
 * disk (Linux pressure stall information); null if the kernel does not record it.
 */
export function machineStalls(): number | null {
  try {
    const of = (resource: string): number =>
      Number(/^some .*total=(\d+)$/m.exec(readFileSync(`/proc/pressure/${resource}`, 'utf8'))![1]);
    return (of('cpu') + of('io')) / 1000;
  } catch {
    return null;
  }
}
