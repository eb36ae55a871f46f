import { Component } from '@angular/core';
import { type FramePart, SideFrame } from '../ui/layout/side-frame.js';

/** The frame around the signed-in user's own pages. */
@Component({
  selector: 'app-me-frame',
  imports: [SideFrame],
  template: `<app-side-frame i18n-label label="Your pages" [parts]="parts" />`,
})
export class MeFrame {
  protected readonly parts: readonly FramePart[] = [
    { path: 'models', name: $localize`Models`, icon: 'smart_toy' },
    { path: 'examples', name: $localize`Examples`, icon: 'text_fields' },
    { path: 'badges', name: $localize`Badges`, icon: 'trophy' },
    { path: 'notifications', name: $localize`Notifications`, icon: 'notifications' },
    { path: 'profile', name: $localize`Profile`, icon: 'person' },
    { path: 'storage', name: $localize`Storage`, icon: 'database' },
    { path: 'tokens', name: $localize`Tokens`, icon: 'key' },
    { path: 'webhooks', name: $localize`Webhooks`, icon: 'webhook' },
    { path: 'evaluators', name: $localize`Evaluators`, icon: 'memory' },
    { path: 'sessions', name: $localize`Sessions`, icon: 'dns' },
    { path: 'account', name: $localize`Account`, icon: 'settings' },
  ];
}
