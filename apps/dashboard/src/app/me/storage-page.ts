import { HttpClient } from '@angular/common/http';
import { Component, inject, signal } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { RouterLink } from '@angular/router';
import {
  modelsArchive,
  quotaStorageItemsResource,
  quotaStorageUseResource,
  type StorageItem,
  type UserStorage,
} from '@assay/api-client/angular';
import { firstValueFrom } from 'rxjs';
import { ShareBar } from '../admin/share-bar.js';
import { ACTION_QUESTIONS } from '../model/action-questions.js';
import type { Question } from '../ui/dialogs/confirm-dialog.js';
import { Action, ActionProblem, Confirm, Empty, Loaded, Numbers, PageHeader } from '../ui/index.js';

const STOP_UPLOAD: Question = {
  title: $localize`Stop this upload?`,
  text: $localize`What has arrived of it is removed. You can send the file again.`,
  action: $localize`Stop it`,
};

/** The disk space that the user's artifacts, datasets and uploads take, with buttons to free it. */
@Component({
  selector: 'app-own-storage-page',
  imports: [ActionProblem, Empty, Loaded, MatButton, PageHeader, RouterLink, ShareBar],
  templateUrl: './storage-page.html',
  styleUrl: './storage-page.scss',
})
export class OwnStoragePage {
  private readonly http = inject(HttpClient);
  private readonly confirm = inject(Confirm);
  protected readonly numbers = inject(Numbers);
  protected readonly use = quotaStorageUseResource(() => ({}));
  protected readonly things = quotaStorageItemsResource(() => ({}));
  protected readonly action = new Action();
  protected readonly done = signal('');
  protected readonly kinds: Readonly<Record<StorageItem['kind'], string>> = {
    artifact: $localize`model`,
    dataset: $localize`dataset`,
    upload: $localize`upload under way`,
  };

  protected total({ artifacts, datasets, uploads }: UserStorage): number {
    return artifacts + datasets + uploads;
  }

  protected async remove({ kind, of: [first], bytes }: StorageItem): Promise<void> {
    const id = first?.model;
    if (id === undefined) return;
    const question = kind === 'upload' ? STOP_UPLOAD : ACTION_QUESTIONS.archive;
    if (!(await this.confirm.ask(question))) return;
    this.done.set('');
    const answer = await this.action.run<unknown>(() =>
      kind === 'upload' ? this.stopUpload(id) : modelsArchive({ path: { id } }),
    );
    if (answer !== undefined) this.done.set($localize`${this.numbers.bytes(bytes)}:size: are free again.`);
    this.use.reload();
    this.things.reload();
  }

  /** Deletes the upload by the tus protocol (termination extension). */
  private stopUpload(model: string): Promise<unknown> {
    const headers = { 'tus-resumable': '1.0.0' };
    return firstValueFrom(this.http.delete(`/api/v1/models/${encodeURIComponent(model)}/upload`, { headers }));
  }
}
