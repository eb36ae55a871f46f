/** Milliseconds of the processor that `work` takes this process: as much on a machine that does other things as well. */
export function processorMilliseconds(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
