import { Component, inject } from '@angular/core';
import { MatDialogRef } from '@angular/material/dialog';
import { DIALOG } from '../ui/dialogs/dialog.js';
import { SignInForm } from './sign-in-form.js';

/**
 * Signs in again over a page whose session has ended, so that unsaved input is not lost. Closes
 * with true after a sign-in.
 */
@Component({
  selector: 'app-sign-in-dialog',
  imports: [DIALOG, SignInForm],
  template: `
    <h2 mat-dialog-title i18n>Your session has ended</h2>
    <mat-dialog-content class="stack">
      <p i18n>Sign in again to continue. What you have written is kept.</p>
      <app-sign-in-form (done)="dialog.close(true)" />
    </mat-dialog-content>
    <mat-dialog-actions>
      <button matButton type="button" [mat-dialog-close]="false" i18n>Not now</button>
    </mat-dialog-actions>
  `,
})
export class SignInDialog {
  protected readonly dialog = inject<MatDialogRef<SignInDialog, boolean>>(MatDialogRef);
}
