import { Component, computed, input, signal } from '@angular/core';
import { MatButton } from '@angular/material/button';
import type { Failure } from '@assay/api-client/angular';
import { Icon } from '../ui/index.js';
import { Sentence } from '../ui/text/sentence.js';
import { FAILURE_HEADLINES, FAULTS, quotaSentence } from './failure-headlines.js';
import { ModelLog } from './model-log.js';

/**
 * The failure of a model: what happened, the party at fault, and the remedy. Content is projected
 * as the available actions.
 */
@Component({
  selector: 'app-model-failure',
  imports: [Icon, MatButton, ModelLog, Sentence],
  template: `
    <app-icon name="warning" />
    <div class="stack">
      <h2>
        {{ headline() }} <span class="muted">({{ fault() }})</span>
      </h2>
      <p><app-sentence [of]="failure().message" /></p>
      <p class="next">→ <app-sentence [of]="failure().next" /></p>
      <p class="muted">
        {{ quota() }} <code>{{ failure().code }}</code>
      </p>
      <div class="row">
        @if (log(); as model) {
          <button
            matButton="outlined"
            type="button"
            [attr.aria-expanded]="isLogShown()"
            (click)="isLogShown.set(!isLogShown())"
            i18n
          >
            Log, last 100 lines
          </button>
        }
        <ng-content />
      </div>
      @if (isLogShown() && log(); as model) {
        <app-model-log [model]="model" />
      }
    </div>
  `,
  styles: `
    :host {
      padding: 16px;
    }

    app-icon {
      font-size: var(--size-4);
    }

    .stack {
      flex: 1;
      gap: 8px;
      min-width: 0;
    }

    p {
      max-width: 80ch;
      overflow-wrap: anywhere;
    }

    .next {
      font-weight: 500;
    }
  `,
  host: { class: 'failure' },
})
export class ModelFailure {
  readonly failure = input.required<Failure>();
  /** The id of the model whose log the user may read; undefined if they may not. */
  readonly log = input<string>();

  protected readonly isLogShown = signal(false);
  protected readonly headline = computed(() => FAILURE_HEADLINES[this.failure().code]);
  protected readonly fault = computed(() => FAULTS[this.failure().fault]);
  protected readonly quota = computed(() => quotaSentence(this.failure()));
}
