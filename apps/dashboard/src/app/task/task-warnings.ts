import { Component, input } from '@angular/core';
import type { TaskWarning } from '@assay/api-client/angular';
import { Icon } from '../ui/index.js';

/** The warnings for the owner of a task about its hidden data. Empty for everybody else. */
@Component({
  selector: 'app-task-warnings',
  imports: [Icon],
  template: `
    @for (warning of warnings(); track warning.code) {
      <p><app-icon name="warning" /> {{ warning.detail }}</p>
    }
  `,
  styles: `
    :host {
      display: contents;
    }

    app-icon {
      color: var(--caution);
      vertical-align: -4px;
    }
  `,
})
export class TaskWarnings {
  readonly warnings = input<readonly TaskWarning[]>([]);
}
