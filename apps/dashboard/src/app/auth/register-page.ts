import { Component, inject, input } from '@angular/core';
import { NonNullableFormBuilder, ReactiveFormsModule, Validators } from '@angular/forms';
import { MatButton } from '@angular/material/button';
import { Router, RouterLink } from '@angular/router';
import { Session } from '../session/session.js';
import { FORM_FIELD } from '../ui/fields/form-field.js';
import { Action, ActionProblem, PageHeader } from '../ui/index.js';
import { addressWithin } from './address-within.js';
import { UsernameField, usernameControl } from './username-field.js';
import { WhyAccount } from './why-account.js';

@Component({
  selector: 'app-register-page',
  imports: [
    ActionProblem,
    FORM_FIELD,
    MatButton,
    PageHeader,
    ReactiveFormsModule,
    RouterLink,
    UsernameField,
    WhyAccount,
  ],
  templateUrl: './register-page.html',
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
