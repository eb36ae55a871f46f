import type { StorageReport } from '@assay/api-client/angular';

/** The share of free disk space below which an administrator should free some. */
const LITTLE_ROOM = 0.1;

/** How the used disk space is divided. */
export interface StorageShares {
  /** All stored blobs, of every kind. */
  readonly blobs: number;
  /** Everything else on the same disk: the system, other files, and the database if it is there. */
  readonly rest: number;
  readonly isNearlyFull: boolean;
}

/** Divides the used space of the disk into blobs and the rest. All sizes are in bytes. */
export function storageShares({ blobs, disk }: StorageReport): StorageShares {
  const bytes = blobs.reduce((sum, each) => sum + each.bytes, 0);
  return {
    blobs: bytes,
    rest: Math.max(0, disk.total - disk.free - bytes),
    isNearlyFull: disk.free < disk.total * LITTLE_ROOM,
  };
}
