import { Component, inject, input, output, signal } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { type LinesPut, rounddataPutExamples, roundsPutContexts } from '@assay/api-client/angular';
import { FileDrop } from '../../ui/fields/file-drop.js';
import { Action, ActionProblem, Numbers } from '../../ui/index.js';

const SENT = { contexts: roundsPutContexts, examples: rounddataPutExamples } as const;

/** Uploads a file of JSON Lines to a round: contexts, or imported examples. */
@Component({
  selector: 'app-lines-upload',
  imports: [ActionProblem, FileDrop, MatButton],
  template: `
    <div class="stack">
      <app-file-drop [(file)]="file" accept=".jsonl,.ndjson" [label]="label()"><ng-content /></app-file-drop>
      <div aria-live="polite">
        @if (put(); as put) {
          <p i18n>
            {{ numbers.count(put.added) }} new, {{ numbers.count(put.present) }} were there already; the round has
            {{ numbers.count(put.total) }} now.
          </p>
        }
      </div>
      <app-action-problem [of]="sending" />
      @if (file()) {
        <div>
          <button matButton="filled" type="button" [disabled]="sending.busy()" (click)="send()" i18n>
            Put the lines
          </button>
        </div>
      }
    </div>
  `,
})
export class LinesUpload {
  readonly slug = input.required<string>();
  readonly number = input.required<number>();
  readonly what = input.required<'contexts' | 'examples'>();
  readonly label = input.required<string>();
  readonly done = output();

  protected readonly numbers = inject(Numbers);
  protected readonly sending = new Action();
  protected readonly file = signal<File | undefined>(undefined);
  protected readonly put = signal<LinesPut | undefined>(undefined);

  protected async send(): Promise<void> {
    const body = this.file();
    if (!body) return;
    await this.sending.run(async () => {
      const path = { slug: this.slug(), number: String(this.number()) };
      const headers = { 'Content-Type': 'application/x-ndjson' };
      this.put.set((await SENT[this.what()]({ path, body, bodySerializer: null, headers })).data);
      this.file.set(undefined);
      this.done.emit();
    });
  }
}
