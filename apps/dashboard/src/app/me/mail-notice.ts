import { Component, computed, inject, signal } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { mailconfirmationAsk, notificationsSettingsResource, providerWaysResource } from '@assay/api-client/angular';
import { Session } from '../session/session.js';
import { Action, ActionProblem } from '../ui/index.js';

/**
 * Tells the user that their e-mail address is not confirmed yet. Shown only if the service sends
 * mail.
 */
@Component({
  selector: 'app-mail-notice',
  imports: [ActionProblem, MatButton],
  template: `
    @if (isOpen()) {
      <p i18n>Nothing is mailed to your address until you have opened the link that was sent there.</p>
      @if (isReader()) {
        <p i18n>Until then, your account can only read.</p>
      }
      <app-action-problem [of]="action" />
      @if (isSent()) {
        <p role="status" i18n>It is on its way.</p>
      } @else {
        <button matButton="outlined" type="button" [disabled]="action.busy()" (click)="send()" i18n>
          Send the link again
        </button>
      }
    }
  `,
  styles: `
    :host:empty {
      display: none;
    }
  `,
})
export class MailNotice {
  private readonly session = inject(Session);
  private readonly settings = notificationsSettingsResource(() => ({}));
  private readonly ways = providerWaysResource(() => ({}));
  protected readonly action = new Action();
  protected readonly isSent = signal(false);
  protected readonly isOpen = computed(
    () => this.settings.hasValue() && this.settings.value().mails && this.session.user()?.emailVerified === false,
  );

  protected readonly isReader = computed(
    () => this.ways.hasValue() && this.ways.value().registration === 'mail' && this.session.user()?.verified === false,
  );

  protected async send(): Promise<void> {
    if (await this.action.run(() => mailconfirmationAsk())) this.isSent.set(true);
  }
}
