import { setTimeout as sleep } from 'node:timers/promises';
import { coreSeconds, hostCpuWaitSeconds, kernelFolders, type KernelFolders } from './cgroup.js';

/** Milliseconds for which the host is observed. */
const WATCHED = 500;
/**
 * The largest shares on a quiet host: of the time of all cores in which they are busy, and of the
 * time in which a process waits for a core.
 */
const LARGEST = { busy: 0.2, waiting: 0.05 } as const;

/**
 * Returns whether almost nothing runs on this host: during half a second, less than a fifth of its
 * core time is busy, and processes wait for a core in less than a twentieth of the time (pressure
 * stall information). A host that exposes neither figure counts as quiet.
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
