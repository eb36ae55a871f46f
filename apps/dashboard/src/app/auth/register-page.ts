import { Component, inject, input } from '@angular/core';
import { NonNullableFormBuilder, ReactiveFormsModule, Validators } from '@angular/forms';
import { MatButton } from '@angular/material/button';
import { ActivatedRoute, Router, RouterLink } from '@angular/router';
import { providerWaysResource } from '@assay/api-client/angular';
import { Session } from '../session/session.js';
import { FORM_FIELD } from '../ui/fields/form-field.js';
import { Action, ActionProblem, Loaded, PageHeader } from '../ui/index.js';
import { addressWithin } from './address-within.js';
import { UsernameField, usernameControl } from './username-field.js';
import { WhyAccount } from './why-account.js';

/** Creates an account, if the service lets the visitor register. */
@Component({
  selector: 'app-register-page',
  imports: [
    ActionProblem,
    FORM_FIELD,
    Loaded,
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
  protected readonly ways = providerWaysResource(() => ({}));
  /** The secret of an invitation, from the link that opened the page. */
  protected readonly invitation = inject(ActivatedRoute).snapshot.fragment;
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
      const { invitation } = this;
      await this.session.register({ ...this.form.getRawValue(), ...(invitation && { invitation }) });
      await this.router.navigateByUrl(addressWithin(this.next()));
    });
  }
}
