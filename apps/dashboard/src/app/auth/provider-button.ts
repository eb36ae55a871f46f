import { Component, computed, input } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { providerWaysResource } from '@assay/api-client/angular';
import { addressWithin } from './address-within.js';

/**
 * The button to sign in with the OpenID provider, if the service has one. It leaves the dashboard
 * and returns to `next`.
 */
@Component({
  selector: 'app-provider-button',
  imports: [MatButton],
  template: `
    @if (provider(); as provider) {
      <a matButton="outlined" [href]="address()" i18n>Sign in with {{ provider.name }}</a>
    }
  `,
  styles: `
    :host:empty {
      display: none;
    }
  `,
})
export class ProviderButton {
  readonly next = input<string>();

  private readonly ways = providerWaysResource(() => ({}));
  protected readonly provider = computed(() => (this.ways.hasValue() ? this.ways.value().provider : null));
  protected readonly address = computed(
    () => `/api/v1/auth/provider?next=${encodeURIComponent(addressWithin(this.next()))}`,
  );
}
