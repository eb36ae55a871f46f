import { Component, computed, inject, input } from '@angular/core';
import { NonNullableFormBuilder, ReactiveFormsModule } from '@angular/forms';
import { MatButton } from '@angular/material/button';
import { Router, RouterLink } from '@angular/router';
import { providerRegistrationResource } from '@assay/api-client/angular';
import { Session } from '../session/session.js';
import { Action, ActionProblem, PageHeader } from '../ui/index.js';
import { addressWithin } from './address-within.js';
import { UsernameField, usernameControl } from './username-field.js';

/** Asks for a user name on the first sign-in with a provider, then creates the account. */
@Component({
  selector: 'app-username-page',
  imports: [ActionProblem, MatButton, PageHeader, ReactiveFormsModule, RouterLink, UsernameField],
  template: `
    <div class="page narrow stack">
      <app-page-header i18n-title title="Choose a user name" />
      @if (isOver()) {
        <p i18n>This sign-in has expired. <a routerLink="/sign-in" queryParamsHandling="preserve">Start again</a></p>
      } @else {
        @if (email(); as email) {
          <p i18n>You are {{ email }}. This makes your account here.</p>
        }
        <form [formGroup]="form" (ngSubmit)="send()" class="stack">
          <app-username-field [control]="form.controls.username" />
          <app-action-problem [of]="action" />
          <div>
            <button matButton="filled" type="submit" [disabled]="action.busy()" i18n>Create the account</button>
          </div>
        </form>
      }
    </div>
  `,
})
export class UsernamePage {
  /** The path to open afterwards, a query parameter. */
  readonly next = input<string>();

  private readonly router = inject(Router);
  private readonly session = inject(Session);
  private readonly registration = providerRegistrationResource(() => ({}));
  protected readonly email = computed(() =>
    this.registration.hasValue() ? this.registration.value().email : undefined,
  );
  protected readonly isOver = computed(() => this.registration.status() === 'error');
  protected readonly form = inject(NonNullableFormBuilder).group({
    username: usernameControl(),
  });
  protected readonly action = new Action();

  protected async send(): Promise<void> {
    this.form.markAllAsTouched();
    if (this.form.invalid) return;
    await this.action.run(async () => {
      await this.session.registerByProvider(this.form.getRawValue());
      await this.router.navigateByUrl(addressWithin(this.next()));
    });
  }
}
