import { Component, inject } from '@angular/core';
import { operationStorageResource, type StorageReport } from '@assay/api-client/angular';
import { Loaded, Numbers, PageHeader, When } from '../ui/index.js';
import { ShareBar } from './share-bar.js';
import { VerdictLine } from './verdict-line.js';
import { BLOB_WORDS } from './work-words.js';

/** The use of the disk by kind of file, and the free space. */
@Component({
  selector: 'app-storage-page',
  imports: [Loaded, PageHeader, ShareBar, VerdictLine, When],
  templateUrl: './storage-page.html',
  styleUrl: './storage-page.scss',
})
export class StoragePage {
  protected readonly numbers = inject(Numbers);
  protected readonly storage = operationStorageResource(() => ({}));
  protected readonly shares = storageShares;
  protected readonly words = BLOB_WORDS;
  protected readonly littleRoom = {
    tone: 'caution',
    text: $localize`Less than a tenth of the disk is free. Archive models that nobody needs, or give the disk more room: uploads are refused when it is full.`,
  } as const;

  protected percent(part: number, whole: number): string {
    return `${this.numbers.percent(part / whole)}%`;
  }
}

/** The share of free disk space below which an administrator should free some. */
const LITTLE_ROOM = 0.1;

/** How the used disk space is divided. */
interface StorageShares {
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
