import { Component, input } from '@angular/core';
import { CopyButton } from './copy-button.js';

/** Shows a new secret once, with a button that copies it. The projected content says what it is. */
@Component({
  selector: 'app-shown-secret',
  imports: [CopyButton],
  template: `
    <div class="panel" role="status">
      <p><ng-content /></p>
      <div class="row">
        <code>{{ secret() }}</code>
        <app-copy-button [text]="secret()" i18n>Copy</app-copy-button>
      </div>
    </div>
  `,
  styles: `
    .panel {
      display: grid;
      gap: 8px;
      border-color: var(--accent);
      background: var(--accent-soft);
    }

    p,
    code {
      min-width: 0;
      overflow-wrap: anywhere;
    }
  `,
})
export class ShownSecret {
  readonly secret = input.required<string>();
}
