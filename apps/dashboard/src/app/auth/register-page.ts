import { Component, inject, input } from '@angular/core';
import { NonNullableFormBuilder, ReactiveFormsModule, Validators } from '@angular/forms';
import { MatButton } from '@angular/material/button';
import { MatError, MatFormField, MatHint, MatLabel } from '@angular/material/form-field';
import { MatInput } from '@angular/material/input';
import { Router, RouterLink } from '@angular/router';
import { Session } from '../session/session.js';
import { Action } from '../ui/states/action.js';
import { ActionProblem } from '../ui/states/action-problem.js';
import { PageHeader } from '../ui/layout/page-header.js';
import { addressWithin } from './address-within.js';
import { UsernameField, usernameControl } from './username-field.js';
import { WhyAccount } from './why-account.js';

@Component({
  selector: 'app-register-page',
  imports: [
    ActionProblem,
    MatButton,
    MatError,
    MatFormField,
    MatHint,
    MatInput,
    MatLabel,
    PageHeader,
    ReactiveFormsModule,
    RouterLink,
    UsernameField,
    WhyAccount,
  ],
  templateUrl: './register-page.html',
  styles: `
    .narrow {
      max-width: 420px;
    }
  `,
})
export class RegisterPage {
  /** The path to open afterwards, a query parameter. */
  readonly next = input<string>();

  private readonly router = inject(Router);
  private readonly session = inject(Session);
  protected readonly form = inject(NonNullableFormBuilder).group({
    username: usernameControl(),
    email: ['', [Validators.required, Validators.email]],
    password: ['', [Validators.required, Validators.minLength(12), Validators.maxLength(200)]],
  });
  protected readonly action = new Action();

  protected async send(): Promise<void> {
    this.form.markAllAsTouched();
    if (this.form.invalid) return;
    await this.action.run(async () => {
      await this.session.register(this.form.getRawValue());
      await this.router.navigateByUrl(addressWithin(this.next()));
    });
  }
}
