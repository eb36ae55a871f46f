import { Component, computed, input } from '@angular/core';
import type { Failure as Reason } from '@assay/api-client/angular';
import { Icon } from '../layout/icon.js';
import { Sentence } from '../text/sentence.js';

/**
 * The failure of a model or an evaluation: what happened, the party at fault, and the remedy.
 * Actions are projected as content.
 */
@Component({
  selector: 'app-failure-reason',
  imports: [Icon, Sentence],
  template: `
    <app-icon name="warning" />
    <div>
      <p class="what"><app-sentence [of]="of().message" /></p>
      <p>→ <app-sentence [of]="of().next" /></p>
      <p class="muted small">
        {{ whose() }} <code>{{ of().code }}</code>
      </p>
      <ng-content />
    </div>
  `,
  styles: `
    :host {
      max-width: 80ch;
    }

    div {
      display: grid;
      gap: 4px;
      min-width: 0;
    }

    .what {
      font-weight: 500;
      overflow-wrap: anywhere;
    }
  `,
  host: { class: 'failure' },
})
export class FailureReason {
  readonly of = input.required<Reason>();

  protected readonly whose = computed(() => WHOSE[this.of().fault]);
}

const WHOSE: Readonly<Record<Reason['fault'], string>> = {
  model: $localize`The model is at fault.`,
  task: $localize`The task is at fault, not the model.`,
  platform: $localize`The platform is at fault, not the model.`,
};
