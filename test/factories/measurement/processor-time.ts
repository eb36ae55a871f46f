/**
 * Returns the processor time of `work` in this process, in milliseconds. Other load on the machine
 * does not affect it.
 */
export function processorMilliseconds(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
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
