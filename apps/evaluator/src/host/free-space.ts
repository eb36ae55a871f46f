import { statfs } from 'node:fs/promises';
import { formatBytes } from '@assay/contracts/text';
import { SandboxUnavailable } from '@assay/sandbox';

/** The smallest number of free bytes with which a host accepts work. */
const LEAST = 512 * 1024 ** 2;

/**
 * Requires room for the files of runs and the images of models.
 * @param folders folders on this host. Those that do not exist are ignored.
 * @throws SandboxUnavailable
 */
export async function expectFreeSpace(folders: readonly string[], least = LEAST): Promise<void> {
  for (const folder of folders) {
    const disk = await statfs(folder).catch(() => null);
    const free = disk ? disk.bavail * disk.bsize : Infinity;
    if (free >= least) continue;
    throw new SandboxUnavailable(
      `The disk of ${folder} has ${formatBytes(free)} free. Runs need at least ${formatBytes(least)}.`,
    );
  }
}
