import { Component, inject, output, signal } from '@angular/core';
import { type FormGroup, NonNullableFormBuilder, ReactiveFormsModule, Validators } from '@angular/forms';
import { MatButton } from '@angular/material/button';
import { MatError, MatFormField, MatHint, MatLabel } from '@angular/material/form-field';
import { MatInput } from '@angular/material/input';
import { problemOf } from '../session/problem.js';
import { Session } from '../session/session.js';

/** The sign-in form, by mail address and password or by a token. */
@Component({
  selector: 'app-sign-in-form',
  imports: [MatButton, MatError, MatFormField, MatHint, MatInput, MatLabel, ReactiveFormsModule],
  templateUrl: './sign-in-form.html',
  styles: `
    .problem {
      color: var(--bad);
    }

    .problem:empty {
      display: none;
    }
  `,
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
  protected readonly problem = signal('');
  protected readonly busy = signal(false);

  protected send(): Promise<void> {
    return this.signIn(this.form, () => this.session.signIn(this.form.getRawValue()));
  }

  protected sendToken(): Promise<void> {
    return this.signIn(this.tokenForm, () => this.session.signInByToken(this.tokenForm.getRawValue().token.trim()));
  }

  private async signIn(form: FormGroup, request: () => Promise<void>): Promise<void> {
    form.markAllAsTouched();
    if (form.invalid) return;
    this.busy.set(true);
    this.problem.set('');
    try {
      await request();
      this.done.emit();
    } catch (error) {
      this.problem.set(problemOf(error).detail);
    } finally {
      this.busy.set(false);
    }
  }
}
