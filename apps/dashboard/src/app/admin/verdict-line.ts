import { Component, input } from '@angular/core';
import { Icon } from '../ui/index.js';
import type { Verdict } from './operation-in-words.js';

/** The state of the platform in one line. Screen readers announce it when it changes. */
@Component({
  selector: 'app-verdict-line',
  imports: [Icon],
  template: `
    <p role="status" [class]="of().tone">
      <app-icon [name]="of().tone === 'good' ? 'check_circle' : 'warning'" /><span>{{ of().text }}</span>
    </p>
  `,
  styles: `
    p {
      display: flex;
      gap: 8px;
      align-items: start;
      padding: 10px 12px;
      border-radius: var(--radius);
      background: var(--good-soft);
    }

    app-icon {
      color: var(--good);
    }

    .caution {
      background: var(--caution-soft);

      app-icon {
        color: var(--caution);
      }
    }
  `,
})
export class VerdictLine {
  readonly of = input.required<Verdict>();
}
