import { readFileSync } from 'node:fs';

/**
 * Milliseconds since the start of the machine in which something that could have gone on had to wait for a processor or a disk
 * (the kernel's pressure stall information); null where it does not count them.
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
