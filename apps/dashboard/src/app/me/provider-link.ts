import { Component, computed, inject, input } from '@angular/core';
import { NonNullableFormBuilder, ReactiveFormsModule } from '@angular/forms';
import { MatButton } from '@angular/material/button';
import { MatFormField, MatLabel } from '@angular/material/form-field';
import { MatInput } from '@angular/material/input';
import { providerWaysResource } from '../../client/@angular/common.gen.js';
import { providerLink } from '../../client/sdk.gen.js';
import { Action } from '../ui/action.js';
import { ActionProblem } from '../ui/action-problem.js';

/** To sign in by the OpenID provider from now on, where the service has one. It leaves the dashboard, and comes back. */
@Component({
  selector: 'app-provider-link',
  imports: [ActionProblem, MatButton, MatFormField, MatInput, MatLabel, ReactiveFormsModule],
  template: `
    @if (provider(); as provider) {
      <section>
        <h2>{{ provider.name }}</h2>
        <p i18n>Link your account with whom you are at {{ provider.name }}, to sign in by it.</p>
        <form [formGroup]="form" (ngSubmit)="send()" class="stack">
          @if (hasPassword()) {
            <mat-form-field appearance="outline" subscriptSizing="dynamic">
              <mat-label i18n>Your password here</mat-label>
              <input matInput type="password" formControlName="password" autocomplete="current-password" />
            </mat-form-field>
          }
          <app-action-problem [of]="action" />
          <div>
            <button matButton="outlined" type="submit" [disabled]="action.busy()" i18n>
              Go to {{ provider.name }} to link it
            </button>
          </div>
        </form>
      </section>
    }
  `,
  styles: `
    section {
      display: grid;
      gap: 12px;
    }

    :host:empty {
      display: none;
    }
  `,
})
export class ProviderLink {
  readonly hasPassword = input.required<boolean>();

  private readonly ways = providerWaysResource(() => ({}));
  protected readonly provider = computed(() => (this.ways.hasValue() ? this.ways.value().provider : null));
  protected readonly action = new Action();
  protected readonly form = inject(NonNullableFormBuilder).group({ password: '' });

  protected async send(): Promise<void> {
    const { password } = this.form.getRawValue();
    const body = this.hasPassword() ? { password } : {};
    const answer = await this.action.run(() => providerLink({ body, throwOnError: true }));
    if (answer) window.location.assign(answer.data.url);
  }
}
