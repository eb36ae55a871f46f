import { Component, inject, input, signal } from '@angular/core';
import { NonNullableFormBuilder, ReactiveFormsModule, Validators } from '@angular/forms';
import { MatButton } from '@angular/material/button';
import { MatError, MatFormField, MatHint, MatLabel } from '@angular/material/form-field';
import { MatInput } from '@angular/material/input';
import { Router, RouterLink } from '@angular/router';
import { problemOf } from '../session/problem.js';
import { Session } from '../session/session.js';
import { PageHeader } from '../ui/page-header.js';
import { addressWithin } from './address-within.js';

@Component({
  selector: 'app-register-page',
  imports: [
    MatButton,
    MatError,
    MatFormField,
    MatHint,
    MatInput,
    MatLabel,
    PageHeader,
    ReactiveFormsModule,
    RouterLink,
  ],
  templateUrl: './register-page.html',
  styles: `
    .narrow {
      max-width: 420px;
    }

    .problem {
      color: var(--bad);
    }
  `,
})
export class RegisterPage {
  /** Where to go afterwards, from the address. */
  readonly next = input<string>();

  private readonly router = inject(Router);
  private readonly session = inject(Session);
  protected readonly form = inject(NonNullableFormBuilder).group({
    username: ['', [Validators.required, Validators.pattern(/^[A-Za-z0-9][A-Za-z0-9_-]{1,38}$/)]],
    email: ['', [Validators.required, Validators.email]],
    password: ['', [Validators.required, Validators.minLength(12), Validators.maxLength(200)]],
  });
  protected readonly problem = signal('');
  protected readonly busy = signal(false);

  protected async send(): Promise<void> {
    this.form.markAllAsTouched();
    if (this.form.invalid) return;
    this.busy.set(true);
    this.problem.set('');
    try {
      await this.session.register(this.form.getRawValue());
      await this.router.navigateByUrl(addressWithin(this.next()));
    } catch (error) {
      this.problem.set(problemOf(error).detail);
    } finally {
      this.busy.set(false);
    }
  }
}
