import { setTimeout as sleep } from 'node:timers/promises';
import { coreSeconds, hostCpuWaitSeconds, kernelFolders, type KernelFolders } from './cgroup.js';

/** Milliseconds for which the host is watched. */
const WATCHED = 500;
/** Shares of the time: of all cores' that something runs, and in which something waits for a core. */
const LARGEST = { busy: 0.2, waiting: 0.05 } as const;

/**
 * Whether next to nothing runs on this host: for half a second less than a fifth of its cores is busy, and processes wait for a core in
 * less than a twentieth of the time (pressure stall information). A host that shows neither is taken as quiet.
 */
export async function hostIsQuiet(
  folders: KernelFolders = kernelFolders,
  watch: () => Promise<unknown> = () => sleep(WATCHED),
  now: () => number = () => performance.now() / 1000,
): Promise<boolean> {
  const snapshot = () => ({ at: now(), cores: coreSeconds(folders), waited: hostCpuWaitSeconds(folders) });
  const before = snapshot();
  await watch();
  const after = snapshot();

  const seconds = after.at - before.at;
  const busy = [...after.cores].reduce(
    (sum, [core, { busy }]) => sum + busy - (before.cores.get(core)?.busy ?? busy),
    0,
  );
  const waited = after.waited === null || before.waited === null ? 0 : after.waited - before.waited;
  return busy <= LARGEST.busy * seconds * after.cores.size && waited <= LARGEST.waiting * seconds;
}
