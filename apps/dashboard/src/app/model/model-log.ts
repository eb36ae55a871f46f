import { Component, input } from '@angular/core';
import { modelsLogsResource } from '@assay/api-client/angular';
import { CopyButton, Loaded } from '../ui/index.js';

const LINES = 100;

/** The end of a model's log, for its owner. */
@Component({
  selector: 'app-model-log',
  imports: [CopyButton, Loaded],
  template: `
    <ng-container *appLoaded="read; let answer">
      @if (answer.withheldBytes) {
        <p class="muted" i18n>
          {{ answer.withheldBytes }} bytes of the log are withheld: the sandbox that wrote them had seen hidden data.
        </p>
      }
      @if (answer.log.trim()) {
        <pre tabindex="0" role="region" i18n-aria-label aria-label="Log">{{ shown(answer.log) }}</pre>
        <app-copy-button [text]="answer.log" i18n>Copy all of it</app-copy-button>
      } @else if (!answer.withheldBytes) {
        <p class="muted" i18n>It wrote nothing, or nothing ran.</p>
      }
    </ng-container>
  `,
  styles: `
    :host {
      display: grid;
      gap: 8px;
      justify-items: start;
      min-width: 0;
    }

    pre {
      overflow: auto;
      width: 100%;
      max-height: 400px;
      margin: 0;
      padding: 12px;
      border: 1px solid var(--line);
      border-radius: var(--radius);
      background: var(--page);
      white-space: pre-wrap;
      overflow-wrap: anywhere;
    }
  `,
})
export class ModelLog {
  /** The id of the model. */
  readonly model = input.required<string>();

  protected readonly read = modelsLogsResource(() => ({ path: { id: this.model() } }));

  protected shown(log: string): string {
    return log.trimEnd().split('\n').slice(-LINES).join('\n');
  }
}
