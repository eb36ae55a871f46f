/** Milliseconds of the processor that `work` takes this process: as much on a machine that does other things as well. */
export function processorMilliseconds(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Milliseconds that pass in `work`, and those of the processor, on all threads; nothing else may go on in this process meanwhile. */
export async function millisecondsOf(work: () => Promise<void>): Promise<{ passed: number; processor: number }> {
  const before = process.cpuUsage();
  const started = performance.now();
  await work();
  const passed = performance.now() - started;
  const { user, system } = process.cpuUsage(before);
  return { passed, processor: (user + system) / 1000 };
}
