import { Component, computed, inject, input, LOCALE_ID, output, signal } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { RouterLink } from '@angular/router';
import { type Model, modelsPutSupplement } from '@assay/api-client/angular';
import { FileDrop } from '../ui/fields/file-drop.js';
import { Action, ActionProblem, Numbers, When } from '../ui/index.js';

/**
 * The datasets that a model has no predictions for, the files that were added, and for its owner the
 * upload of another one.
 */
@Component({
  selector: 'app-model-supplements',
  imports: [ActionProblem, FileDrop, MatButton, RouterLink, When],
  templateUrl: './model-supplements.html',
  styleUrl: './model-supplements.scss',
})
export class ModelSupplements {
  readonly model = input.required<Model>();
  readonly isOwner = input.required<boolean>();
  /** Emits when a file was received. */
  readonly added = output();

  protected readonly numbers = inject(Numbers);
  protected readonly sending = new Action();
  protected readonly file = signal<File | undefined>(undefined);
  private readonly dates = new Intl.DateTimeFormat(inject(LOCALE_ID), { dateStyle: 'long', timeStyle: 'short' });
  protected readonly awaits = computed(() =>
    (this.model().awaits ?? []).map(({ until, ...dataset }) => ({
      ...dataset,
      until: until === undefined ? null : this.dates.format(new Date(until)),
    })),
  );
  protected readonly supplements = computed(() => this.model().supplements ?? []);
  private readonly scoring = computed(() => this.awaits().filter(({ use }) => use === 'scoring'));
  /** The weights of the board of the datasets that the model has; undefined if it lacks none that ranks. */
  protected readonly boardQuery = computed(() => {
    const scoring = this.scoring();
    return scoring.length > 0 ? { datasets: scoring.map(({ dataset }) => `${dataset}:0`).join(',') } : undefined;
  });
  protected readonly states: Readonly<Record<NonNullable<Model['supplements']>[number]['state'], string>> = {
    received: $localize`being checked`,
    accepted: $localize`accepted`,
    refused: $localize`refused`,
  };

  protected address(dataset: string): string {
    return `/api/v1/tasks/${this.model().task}/datasets/${encodeURIComponent(dataset)}/content`;
  }

  protected async send(): Promise<void> {
    const file = this.file();
    if (!file) return;
    await this.sending.run(async () => {
      await modelsPutSupplement({ path: { id: this.model().id }, body: file });
      this.file.set(undefined);
      this.added.emit();
    });
  }
}
