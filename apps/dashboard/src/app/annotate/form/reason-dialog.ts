import { Component, inject, signal } from '@angular/core';
import { MAT_DIALOG_DATA, MatDialogRef } from '@angular/material/dialog';
import { DIALOG } from '../../ui/dialogs/dialog.js';
import { FORM_FIELD } from '../../ui/fields/form-field.js';

export interface ReasonAsked {
  readonly title: string;
  readonly lead: string;
  /** The label of the reason field. Without it the dialog only asks for confirmation. */
  readonly label?: string;
  readonly isNeeded?: boolean;
  /** The label of the button that confirms. */
  readonly action: string;
}

/**
 * Asks for a reason before an action, or only for confirmation. Closes with the reason, which is
 * empty if none was given, or undefined if the action was cancelled.
 */
@Component({
  selector: 'app-reason-dialog',
  imports: [DIALOG, FORM_FIELD],
  template: `
    <h2 mat-dialog-title>{{ asked.title }}</h2>
    <form (submit)="$event.preventDefault(); goOn()">
      <mat-dialog-content>
        <div class="stack">
          <p>{{ asked.lead }}</p>
          @if (asked.label) {
            <mat-form-field appearance="outline" subscriptSizing="dynamic">
              <mat-label>{{ asked.label }}</mat-label>
              <input
                #reason
                matInput
                maxlength="1000"
                [required]="asked.isNeeded ?? false"
                (input)="given = reason.value"
                cdkFocusInitial
              />
            </mat-form-field>
          }
          <p role="alert" class="problem">{{ problem() }}</p>
        </div>
      </mat-dialog-content>
      <mat-dialog-actions>
        <button matButton type="button" [mat-dialog-close]="undefined" i18n>Not now</button>
        <button matButton="filled" type="submit">{{ asked.action }}</button>
      </mat-dialog-actions>
    </form>
  `,
  styles: `
    .stack {
      padding-top: 4px;
    }
  `,
})
export class ReasonDialog {
  protected readonly asked = inject<ReasonAsked>(MAT_DIALOG_DATA);
  private readonly dialog = inject<MatDialogRef<ReasonDialog, string>>(MatDialogRef);
  protected readonly problem = signal('');
  protected given = '';

  protected goOn(): void {
    const reason = this.given.trim();
    if (this.asked.isNeeded && reason === '') this.problem.set($localize`Say why, in a few words.`);
    else this.dialog.close(reason);
  }
}
