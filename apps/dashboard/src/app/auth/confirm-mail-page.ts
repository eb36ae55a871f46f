import { Component, inject, signal } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { ActivatedRoute } from '@angular/router';
import { mailconfirmationConfirm } from '@assay/api-client/angular';
import { Action, ActionProblem, PageHeader } from '../ui/index.js';

/**
 * The target of the link in a confirmation mail. It confirms only after a click, because mail
 * scanners open links too.
 */
@Component({
  selector: 'app-confirm-mail-page',
  imports: [ActionProblem, MatButton, PageHeader],
  template: `
    <div class="page stack">
      <app-page-header i18n-title title="Your mail address" />
      @if (isConfirmed()) {
        <p role="status" i18n>It is confirmed. Notifications are mailed there from now on.</p>
      } @else {
        <p i18n>Is the address that this link was mailed to yours?</p>
        <app-action-problem [of]="action" />
        <div>
          <button matButton="filled" type="button" [disabled]="action.busy()" (click)="confirm()" i18n>
            Confirm it
          </button>
        </div>
      }
    </div>
  `,
})
export class ConfirmMailPage {
  private readonly route = inject(ActivatedRoute);
  protected readonly action = new Action();
  protected readonly isConfirmed = signal(false);

  protected async confirm(): Promise<void> {
    const body = { secret: this.route.snapshot.fragment ?? '-' };
    const answer = await this.action.run(() => mailconfirmationConfirm({ body }));
    if (answer) this.isConfirmed.set(true);
  }
}
