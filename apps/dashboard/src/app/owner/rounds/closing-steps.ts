import { Component, computed, input } from '@angular/core';
import type { Round } from '@assay/api-client/angular';
import { Icon, When } from '../../ui/index.js';

const STEPS = ['settle', 'freeze', 'evaluate', 'promote', 'next'] as const;
const WORDS: Readonly<Record<(typeof STEPS)[number], string>> = {
  settle: $localize`Validations that are awaited come in`,
  freeze: $localize`The validated examples become datasets`,
  evaluate: $localize`All models are evaluated on them`,
  promote: $localize`The policy picks the next loop`,
  next: $localize`The next round opens, where the task says so`,
};

/** The progress of a round that is closing. */
@Component({
  selector: 'app-closing-steps',
  imports: [Icon, When],
  template: `
    <ol aria-live="polite">
      @for (step of steps(); track step.name) {
        <li [class.done]="step.state === 'done'" [class.now]="step.state === 'now'">
          <app-icon
            [name]="step.state === 'done' ? 'check_circle' : step.state === 'now' ? 'play_arrow' : 'schedule'"
          />
          <span>
            {{ step.words }}
            @if (step.state === 'now') {
              <span class="tag accent" i18n>now</span>
            }
            @if (step.name === 'settle' && step.state === 'now' && round().pendingUntil; as until) {
              <span class="small muted"><ng-container i18n>until</ng-container>&ngsp;<app-when [at]="until" /></span>
            }
          </span>
        </li>
      }
    </ol>
  `,
  styles: `
    ol {
      display: grid;
      gap: 8px;
      padding: 0;
      list-style: none;
    }

    li {
      display: flex;
      gap: 8px;
      color: var(--muted);
    }

    .now {
      color: var(--text);
    }

    .done app-icon {
      color: var(--good);
    }
  `,
})
export class ClosingSteps {
  readonly round = input.required<Round>();

  protected readonly steps = computed(() => {
    const { state, closingStep } = this.round();
    const at = state === 'closed' ? STEPS.length : STEPS.indexOf(closingStep ?? 'settle');
    return STEPS.map((name, place) => ({
      name,
      words: WORDS[name],
      state: place < at ? ('done' as const) : place === at ? ('now' as const) : ('later' as const),
    }));
  });
}
