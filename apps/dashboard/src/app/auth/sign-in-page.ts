import { Component, computed, inject, input } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { Router, RouterLink } from '@angular/router';
import { PageHeader } from '../ui/layout/page-header.js';
import { addressWithin } from './address-within.js';
import { ProviderButton } from './provider-button.js';
import { refusalOf } from './refusals.js';
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
  styles: `
    .narrow {
      max-width: 420px;
    }

    .problem {
      color: var(--bad);
    }
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
