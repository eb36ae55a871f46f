import { Component, computed, inject, input } from '@angular/core';
import { NonNullableFormBuilder, ReactiveFormsModule } from '@angular/forms';
import { MatButton } from '@angular/material/button';
import {
  providerLink,
  type ProviderLink as Link,
  providerLinksResource,
  providerUnlink,
  providerWaysResource,
} from '@assay/api-client/angular';
import { FORM_FIELD } from '../ui/fields/form-field.js';
import { Action, ActionProblem, Confirm, When } from '../ui/index.js';

/**
 * Links the account to the OpenID provider, if the service has one, or unlinks it. Linking leaves
 * the dashboard and returns to it.
 */
@Component({
  selector: 'app-provider-link',
  imports: [ActionProblem, FORM_FIELD, MatButton, ReactiveFormsModule, When],
  template: `
    @if (provider(); as provider) {
      <section>
        <h2>{{ provider.name }}</h2>
        @for (link of links(); track link.id) {
          <p>
            <ng-container i18n>You sign in by {{ link.issuer }} since</ng-container>&ngsp;<app-when
              [at]="link.linkedAt"
            />.
          </p>
        } @empty {
          <p i18n>Link your account at {{ provider.name }} to sign in with it.</p>
        }
        <form [formGroup]="form" (ngSubmit)="send()" class="stack">
          @if (hasPassword()) {
            <mat-form-field appearance="outline" subscriptSizing="dynamic">
              <mat-label i18n>Your password here</mat-label>
              <input matInput type="password" formControlName="password" autocomplete="current-password" />
            </mat-form-field>
          }
          <app-action-problem [of]="action" />
          <div class="row">
            <button matButton="outlined" type="submit" [disabled]="action.busy()">
              @if (links().length === 0) {
                <ng-container i18n>Go to {{ provider.name }} to link it</ng-container>
              } @else {
                <ng-container i18n>Link another account of {{ provider.name }}</ng-container>
              }
            </button>
            @for (link of links(); track link.id) {
              <button matButton="outlined" type="button" [disabled]="action.busy()" (click)="unlink(link)" i18n>
                No longer sign in by {{ link.issuer }}
              </button>
            }
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

  private readonly confirm = inject(Confirm);
  private readonly linked = providerLinksResource(() => ({}));
  private readonly ways = providerWaysResource(() => ({}));
  protected readonly provider = computed(() => (this.ways.hasValue() ? this.ways.value().provider : null));
  protected readonly links = computed(() => (this.linked.hasValue() ? this.linked.value().items : []));
  protected readonly action = new Action();
  protected readonly form = inject(NonNullableFormBuilder).group({ password: '' });

  protected async send(): Promise<void> {
    const answer = await this.action.run(() => providerLink({ body: this.proof() }));
    if (answer) window.location.assign(answer.data.url);
  }

  protected async unlink({ id, issuer }: Link): Promise<void> {
    const isSure = await this.confirm.ask({
      title: $localize`No longer sign in by ${issuer}:issuer:?`,
      text: $localize`Wherever else you are signed in you are signed out. You can link it again at any time.`,
      action: $localize`End it`,
    });
    if (!isSure) return;
    await this.action.run(() => providerUnlink({ path: { id }, body: this.proof() }));
    this.form.reset();
    this.linked.reload();
  }

  private proof(): { password?: string } {
    return this.hasPassword() ? this.form.getRawValue() : {};
  }
}
