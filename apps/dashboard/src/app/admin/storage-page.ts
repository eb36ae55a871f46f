import { Component, inject } from '@angular/core';
import { operationStorageResource } from '@assay/api-client/angular';
import { Loaded } from '../ui/states/loaded.js';
import { Numbers } from '../ui/text/numbers.js';
import { PageHeader } from '../ui/layout/page-header.js';
import { When } from '../ui/text/when.js';
import { ShareBar } from './share-bar.js';
import { storageShares } from './storage-shares.js';
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
