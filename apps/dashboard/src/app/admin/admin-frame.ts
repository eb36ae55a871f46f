import { Component, inject } from '@angular/core';
import { RouterOutlet } from '@angular/router';
import { Session } from '../session/session.js';
import { type FramePart, SideFrame } from '../ui/layout/side-frame.js';

/**
 * The frame of the administration pages, with navigation. Without it for anyone who is not an
 * administrator: the page itself then says that access is refused.
 */
@Component({
  selector: 'app-admin-frame',
  imports: [RouterOutlet, SideFrame],
  template: `
    @if (session.isAdministrator()) {
      <app-side-frame i18n-label label="Administration" [parts]="parts" />
    } @else {
      <div class="page"><router-outlet /></div>
    }
  `,
})
export class AdminFrame {
  protected readonly session = inject(Session);
  protected readonly parts: readonly FramePart[] = [
    { path: 'users', name: $localize`Users`, icon: 'group' },
    { path: 'queues', name: $localize`Queues`, icon: 'schedule' },
    { path: 'evaluators', name: $localize`Evaluators`, icon: 'dns' },
    { path: 'sandboxes', name: $localize`Sandboxes`, icon: 'science' },
    { path: 'storage', name: $localize`Storage`, icon: 'database' },
    { path: 'audit', name: $localize`Audit`, icon: 'history' },
  ];
}
