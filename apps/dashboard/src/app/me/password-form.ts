import { Component, inject, input, signal } from '@angular/core';
import { FormGroupDirective, NonNullableFormBuilder, ReactiveFormsModule, Validators } from '@angular/forms';
import { MatButton } from '@angular/material/button';
import { MatCheckbox } from '@angular/material/checkbox';
import { authChangePassword } from '@assay/api-client/angular';
import { FORM_FIELD } from '../ui/fields/form-field.js';
import { Action, ActionProblem } from '../ui/index.js';

/** Changes the password, or sets the first one. */
@Component({
  selector: 'app-password-form',
  imports: [ActionProblem, FORM_FIELD, MatButton, MatCheckbox, ReactiveFormsModule],
  template: `
    <form [formGroup]="form" #fields="ngForm" (ngSubmit)="send(fields)" class="stack">
      @if (hasPassword()) {
        <mat-form-field appearance="outline">
          <mat-label i18n>Current password</mat-label>
          <input matInput type="password" formControlName="password" autocomplete="current-password" />
        </mat-form-field>
      }
      <mat-form-field appearance="outline">
        <mat-label i18n>New password</mat-label>
        <input matInput type="password" formControlName="newPassword" autocomplete="new-password" required />
        <mat-hint i18n>At least 12 characters; four words make a good one.</mat-hint>
        <mat-error i18n>12 to 200 characters.</mat-error>
      </mat-form-field>
      <mat-checkbox formControlName="endTokens" i18n>End my tokens too: programs that use them stop</mat-checkbox>
      <app-action-problem [of]="action" />
      @if (isChanged()) {
        <p role="status" i18n>It is changed. Wherever else you were signed in you are signed out.</p>
      }
      <div><button matButton="outlined" type="submit" [disabled]="action.busy()" i18n>Change the password</button></div>
    </form>
  `,
})
export class PasswordForm {
  readonly hasPassword = input.required<boolean>();

  protected readonly action = new Action();
  protected readonly isChanged = signal(false);
  protected readonly form = inject(NonNullableFormBuilder).group({
    password: '',
    endTokens: false,
    newPassword: ['', [Validators.required, Validators.minLength(12), Validators.maxLength(200)]],
  });

  protected async send(fields: FormGroupDirective): Promise<void> {
    this.isChanged.set(false);
    this.form.markAllAsTouched();
    if (this.form.invalid) return;
    const { password, newPassword, endTokens } = this.form.getRawValue();
    const body = { newPassword, endTokens, ...(this.hasPassword() && { password }) };
    await this.action.run(async () => {
      await authChangePassword({ body });
      fields.resetForm();
      this.isChanged.set(true);
    });
  }
}
