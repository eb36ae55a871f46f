import { Component, inject, output, signal } from '@angular/core';
import { type FormGroup, NonNullableFormBuilder, ReactiveFormsModule, Validators } from '@angular/forms';
import { MatButton } from '@angular/material/button';
import { Session } from '../session/session.js';
import { FORM_FIELD } from '../ui/fields/form-field.js';
import { Action } from '../ui/index.js';

/** The sign-in form, by mail address and password or by a token. */
@Component({
  selector: 'app-sign-in-form',
  imports: [FORM_FIELD, MatButton, ReactiveFormsModule],
  templateUrl: './sign-in-form.html',
})
export class SignInForm {
  readonly done = output();

  private readonly session = inject(Session);
  protected readonly form = inject(NonNullableFormBuilder).group({
    email: ['', [Validators.required, Validators.email]],
    password: ['', Validators.required],
  });
  protected readonly tokenForm = inject(NonNullableFormBuilder).group({ token: ['', Validators.required] });
  protected readonly byToken = signal(false);
  protected readonly action = new Action();

  protected send(): Promise<void> {
    return this.signIn(this.form, () => this.session.signIn(this.form.getRawValue()));
  }

  protected sendToken(): Promise<void> {
    return this.signIn(this.tokenForm, () => this.session.signInByToken(this.tokenForm.getRawValue().token.trim()));
  }

  private async signIn(form: FormGroup, request: () => Promise<void>): Promise<void> {
    form.markAllAsTouched();
    if (form.invalid) return;
    await this.action.run(async () => {
      await request();
      this.done.emit();
    });
  }
}
