import { Component, computed, inject, input } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { Router, RouterLink } from '@angular/router';
import { PageHeader } from '../ui/index.js';
import { addressWithin } from './address-within.js';
import { ProviderButton } from './provider-button.js';
import { SignInForm } from './sign-in-form.js';
import { WhyAccount } from './why-account.js';

@Component({
  selector: 'app-sign-in-page',
  imports: [MatButton, PageHeader, ProviderButton, RouterLink, SignInForm, WhyAccount],
  template: `
    <div class="page narrow stack">
      <app-page-header i18n-title title="Sign in" />
      <app-why-account [next]="next()" />
      @if (refusal(); as refusal) {
        <p role="alert" class="problem">{{ refusal }}</p>
      }
      <app-provider-button [next]="next()" />
      <app-sign-in-form (done)="goOn()" />
      <div class="row">
        <span i18n>New here?</span>
        <a matButton="outlined" routerLink="/register" queryParamsHandling="preserve" i18n>Create account</a>
      </div>
    </div>
  `,
})
export class SignInPage {
  /** The path to open afterwards, a query parameter. */
  readonly next = input<string>();

  /** The error code of a failed sign-in with a provider, a query parameter. */
  readonly refused = input<string>();

  protected readonly refusal = computed(() => refusalOf(this.refused()));
  private readonly router = inject(Router);

  protected goOn(): void {
    void this.router.navigateByUrl(addressWithin(this.next()));
  }
}

/** Problems of a sign-in with the provider, by the error code in the query parameters. */
const REFUSALS: Readonly<Record<string, string>> = {
  sign_in_expired: $localize`This sign-in has expired, or it was started in another browser. Start again.`,
  provider_refused: $localize`The provider did not confirm who you are. Start again.`,
  provider_unavailable: $localize`The provider does not answer. Try again in a moment.`,
  email_not_verified: $localize`The provider has not verified your mail address. Verify it there, then sign in again.`,
  provider_sign_in_old: $localize`The provider does not confirm that you signed in just now. Start again, and sign in there again.`,
  account_blocked: $localize`An administrator has blocked this account: write to them.`,
  registration_closed: $localize`You have no account, and this service creates none by this way. Ask an administrator for access.`,
  identity_taken: $localize`This account at the provider is already linked with another account here.`,
};

/** Explains an error code. It is a query parameter, so any text. Undefined without a code. */
export function refusalOf(code: string | undefined): string | undefined {
  if (code === undefined) return undefined;
  return Object.hasOwn(REFUSALS, code) ? REFUSALS[code] : $localize`That did not work. Start again.`;
}
