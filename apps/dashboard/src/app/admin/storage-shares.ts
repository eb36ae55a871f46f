import type { StorageReport } from '../../client/types.gen.js';

/** Below this share of free room an administrator should make some. */
const LITTLE_ROOM = 0.1;

/** What fills the disk. */
export interface StorageShares {
  /** Of all kinds of files. */
  readonly blobs: number;
  /** On the same disk, but not of blobs: the database where it is there, the system, everything else. */
  readonly rest: number;
  readonly isNearlyFull: boolean;
}

/** @param report all in bytes, and so the answer */
export function storageShares({ blobs, disk }: StorageReport): StorageShares {
  const bytes = blobs.reduce((sum, each) => sum + each.bytes, 0);
  return {
    blobs: bytes,
    rest: Math.max(0, disk.total - disk.free - bytes),
    isNearlyFull: disk.free < disk.total * LITTLE_ROOM,
  };
}
