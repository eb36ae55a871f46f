/** How often work is repeated that exceeds its limit. */
const ATTEMPTS = 5;

/**
 * Returns the processor time of `work` in this process, in milliseconds: of its first run below
 * `limit`, else of the fastest of five. A single run can take ten times as long on a busy machine,
 * where caches, compiler and garbage collector compete with other processes.
 */
export function processorMilliseconds(work: () => void, limit: number): number {
  let fastest = Infinity;
  for (let attempt = 0; attempt < ATTEMPTS && fastest >= limit; attempt++) {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    fastest = Math.min(fastest, (user + system) / 1000);
  }
  return fastest;
}

/**
 * Returns the elapsed time of `work` and its processor time on all threads, in milliseconds.
 * Nothing else may run in this process meanwhile.
 */
export async function millisecondsOf(work: () => Promise<void>): Promise<{ passed: number; processor: number }> {
  const before = process.cpuUsage();
  const started = performance.now();
  await work();
  const passed = performance.now() - started;
  const { user, system } = process.cpuUsage(before);
  return { passed, processor: (user + system) / 1000 };
}
