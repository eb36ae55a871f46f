import { Component, input } from '@angular/core';
import { FormControl, ReactiveFormsModule, Validators } from '@angular/forms';
import { FORM_FIELD } from '../ui/fields/form-field.js';

/** A control that checks the form of a user name. The API has the final say. */
export const usernameControl = (): FormControl<string> =>
  new FormControl('', {
    nonNullable: true,
    validators: [Validators.required, Validators.pattern(/^[A-Za-z0-9][A-Za-z0-9_-]{1,38}$/)],
  });

/** The field for the user name of a new account. */
@Component({
  selector: 'app-username-field',
  imports: [FORM_FIELD, ReactiveFormsModule],
  template: `
    <mat-form-field appearance="outline">
      <mat-label i18n>User name</mat-label>
      <input matInput [formControl]="control()" autocomplete="username" required />
      <mat-hint i18n>Others see it beside what you submit.</mat-hint>
      <mat-error i18n>2 to 39 letters, digits, _ or -, beginning with a letter or digit.</mat-error>
    </mat-form-field>
  `,
  styles: `
    :host,
    mat-form-field {
      display: block;
    }
  `,
})
export class UsernameField {
  readonly control = input.required<FormControl<string>>();
}
