import { Component, inject } from '@angular/core';
import { MAT_DIALOG_DATA } from '@angular/material/dialog';
import { DIALOG } from './dialog.js';

/** A confirmation dialog's content. */
export interface Question {
  /** A question, for example `Withdraw the model?` */
  readonly title: string;
  /** The consequences of the action. */
  readonly text: string;
  /** The label of the confirming button: a verb, for example `Withdraw`. */
  readonly action: string;
  /** `bad` for an action that cannot be undone. */
  readonly tone?: 'usual' | 'bad';
}

/** A confirmation dialog. Closes with true if the user confirmed. */
@Component({
  selector: 'app-confirm-dialog',
  imports: [DIALOG],
  template: `
    <h2 mat-dialog-title>{{ question.title }}</h2>
    <mat-dialog-content>
      <p class="text">{{ question.text }}</p>
    </mat-dialog-content>
    <mat-dialog-actions align="end">
      <button matButton type="button" [mat-dialog-close]="false" i18n>Leave it as it is</button>
      <button matButton="filled" type="button" [class.bad]="question.tone === 'bad'" [mat-dialog-close]="true">
        {{ question.action }}
      </button>
    </mat-dialog-actions>
  `,
  styles: `
    .text {
      white-space: pre-line;
    }

    .bad {
      --mat-button-filled-container-color: var(--bad);
      --mat-button-filled-label-text-color: var(--surface);
    }
  `,
})
export class ConfirmDialog {
  protected readonly question = inject<Question>(MAT_DIALOG_DATA);
}
