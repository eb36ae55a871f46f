import { Component, inject, output, signal } from '@angular/core';
import { NonNullableFormBuilder, ReactiveFormsModule, Validators } from '@angular/forms';
import { MatButton } from '@angular/material/button';
import { MatError, MatFormField, MatLabel } from '@angular/material/form-field';
import { MatInput } from '@angular/material/input';
import { problemOf } from '../session/problem.js';
import { Session } from '../session/session.js';

/** Mail address and password, wherever somebody signs in. */
@Component({
  selector: 'app-sign-in-form',
  imports: [MatButton, MatError, MatFormField, MatInput, MatLabel, ReactiveFormsModule],
  template: `
    <form [formGroup]="form" (ngSubmit)="send()" class="stack">
      <mat-form-field appearance="outline">
        <mat-label i18n>Mail address</mat-label>
        <input matInput type="email" formControlName="email" autocomplete="username" required />
        <mat-error i18n>A mail address is needed.</mat-error>
      </mat-form-field>
      <mat-form-field appearance="outline">
        <mat-label i18n>Password</mat-label>
        <input matInput type="password" formControlName="password" autocomplete="current-password" required />
        <mat-error i18n>The password is needed.</mat-error>
      </mat-form-field>
      <p role="alert" class="problem">{{ problem() }}</p>
      <div><button matButton="filled" type="submit" [disabled]="busy()" i18n>Sign in</button></div>
    </form>
  `,
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
  protected readonly problem = signal('');
  protected readonly busy = signal(false);

  protected async send(): Promise<void> {
    this.form.markAllAsTouched();
    if (this.form.invalid) return;
    this.busy.set(true);
    this.problem.set('');
    try {
      await this.session.signIn(this.form.getRawValue());
      this.done.emit();
    } catch (error) {
      this.problem.set(problemOf(error).detail);
    } finally {
      this.busy.set(false);
    }
  }
}
