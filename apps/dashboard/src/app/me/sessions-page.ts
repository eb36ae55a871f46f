import { Component, inject } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { type Session as SignIn, sessionsEnd, sessionsListResource } from '@assay/api-client/angular';
import { Action, ActionProblem, Loaded, PageHeader, When } from '../ui/index.js';
import { Session } from '../session/session.js';

/** The user's active sessions. */
@Component({
  selector: 'app-sessions-page',
  imports: [ActionProblem, Loaded, MatButton, PageHeader, When],
  template: `
    <app-page-header i18n-title title="Sessions" i18n-lead lead="Where you are signed in. End what you don’t know." />
    <app-action-problem [of]="action" />
    <ul *appLoaded="sessions; let list; skeleton: 3">
      @for (each of list.items; track each.id) {
        <li class="panel">
          <div>
            <h2>
              {{ each.device }}
              @if (each.current) {
                <span class="tag good" i18n>this one</span>
              }
            </h2>
            <p class="muted">
              @if (each.address; as address) {
                <ng-container i18n>from {{ address }},</ng-container>&ngsp;
              }
              <ng-container i18n>begun</ng-container>&ngsp;<app-when [at]="each.createdAt" /><ng-container i18n
                >, last used</ng-container
              >&ngsp;<app-when [at]="each.lastUsedAt" />
              @if (each.expiresAt; as end) {
                <ng-container i18n>, ends</ng-container>&ngsp;<app-when [at]="end" />
              }
            </p>
          </div>
          <button matButton="outlined" type="button" [disabled]="action.busy()" (click)="end(each)">
            @if (each.current) {
              <ng-container i18n>Sign out</ng-container>
            } @else {
              <ng-container i18n>End it</ng-container>
            }
          </button>
        </li>
      }
    </ul>
  `,
  styles: `
    ul {
      display: grid;
      gap: 12px;
      grid-template-columns: minmax(0, 1fr);
      padding: 0;
      list-style: none;
    }

    li {
      display: flex;
      flex-wrap: wrap;
      gap: 12px;
      align-items: center;
      justify-content: space-between;
    }

    h2 {
      font-size: var(--size-3);
      line-height: 24px;
    }
  `,
})
export class SessionsPage {
  private readonly session = inject(Session);
  protected readonly sessions = sessionsListResource(() => ({}));
  protected readonly action = new Action();

  protected async end({ id, current }: SignIn): Promise<void> {
    if (current) return this.session.signOut();
    await this.action.run(() => sessionsEnd({ path: { id } }));
    this.sessions.reload();
  }
}
